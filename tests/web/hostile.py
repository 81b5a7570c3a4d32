"""Texts that try to get a page to do something, and a check that it could not."""

from html.parser import HTMLParser

TEXTS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='javascript:alert(1)'></object>",
    "<embed src='//evil.example/x.swf'>",
    "<base href='//evil.example/'>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<link rel=stylesheet href='//evil.example/x.css'>",
    "<style>@import '//evil.example/x.css';</style>",
    "<form action='//evil.example'><input name=a><button>b</button></form>",
    "<button formaction='javascript:alert(1)'>x</button>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<a href='javascript:alert(1)'>x</a>",
    "<div hx-get='/threads' hx-trigger='load'>x</div>",
    "<div data-hx-post='/threads' data-hx-trigger='load'>x</div>",
    "<div hx-on:load='alert(1)'>x</div>",
    "<p style='position:fixed;inset:0'>x</p>",
    "<p id='composer' class='message'>x</p>",
    "<div data-stream='/threads/a/messages/b/live'>x</div>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo 1 ?><!DOCTYPE html><html><body onload=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java&#115;cript:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](\x01javascript:alert(1))",
    "[a](vbscript:msgbox(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](file:///etc/passwd)",
    "[a](//evil.example)",
    "[a](/threads/1/delete)",
    '[a](https://x.example/"onmouseover=alert(1)//)',
    '[a](https://x.example "x\\" onmouseover=alert(1) y=\\"")',
    "[a][r]\n\n[r]: javascript:alert(1)",
    "[a][r]\n\n[r]: <https://x.example> '\"onload=alert(1)'",
    "<javascript:alert(1)>",
    '<https://x.example/"onmouseover=alert(1)>',
    "![x](https://evil.example/?leak=1)",
    "![x](//evil.example/x.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "![x](data:image/png;base64,AAAA)",
    '![" onerror="alert(1)](https://evil.example/x.png)',
    "[![x](https://evil.example/x.png)](javascript:alert(1))",
    "```<img src=x onerror=alert(1)>\ncode\n```",
    '```python" onmouseover="alert(1)\ncode\n```',
    "```html\n<script>alert(1)</script>\n```",
    "~~~\n</code></pre><script>alert(1)</script>\n~~~",
    "`</code><img src=x onerror=alert(1)>`",
    "\\[</span><script>alert(1)</script>\\]",
    "$$<img src=x onerror=alert(1)>$$",
    "\\(<img src=x onerror=alert(1)>",
    '| <img src=x onerror=alert(1)> | b |\n|:-:|--|\n| [a](javascript:alert(1)) | "x |',
    "- [ ] <img src=x onerror=alert(1)>\n- [x] <b style=color:red>x</b>",
    "<think><img src=x onerror=alert(1)></think><script>alert(1)</script>",
    "<think></div></details><script>alert(1)</script>",
    "plan<img src=x onerror=alert(1)>\n</think>\n<svg onload=alert(1)>",
    "https://x.example/'onmouseover='alert(1)",
    'https://x.example/"onmouseover="alert(1)',
    "**<b onclick=alert(1)>x**",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\0<scr\0ipt>alert(1)</script>",
    "\ud800<script>alert(1)</script>\udfff",
]

ALLOWED = {
    "a": {"href", "title", "class", "target", "rel"},
    "button": {"class", "type", "data-copy"},
    "details": {"class"},
    "div": {"class", "tabindex"},
    "math": {"display"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "movablelimits", "lspace", "rspace"},
    "mover": {"accent"},
    "mrow": {"class"},
    "mspace": {"width"},
    "mtable": {"class"},
    "munder": {"accentunder"},
    "li": {"class"},
    "ol": {"start"},
    "p": {"class"},
    "pre": {"class", "tabindex"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class"},
}
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
TABLE = ["table", "thead", "tbody", "tr"]
WORDS = ["br", "code", "del", "em", "s", "strong"]
FORMULAS = ["mn", "mtext", "msqrt", "mroot", "msub", "msup", "msubsup", "munderover", "mtr", "mtd"]
PLAIN_TAGS = [*FORMULAS, *HEADINGS, *TABLE, *WORDS, "blockquote", "hr", "summary", "ul"]


class _Look(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.faults = []

    def handle_starttag(self, tag, attrs):
        if tag not in ALLOWED and tag not in PLAIN_TAGS:
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ALLOWED.get(tag, ()):
                self.faults.append(f"<{tag} {name}>")
            if name == "href" and not value.startswith(("http://", "https://", "mailto:")):
                self.faults.append(value)
            if name == "href" and 'rel="' not in self.get_starttag_text():
                self.faults.append(f"no rel: {value}")

    def handle_comment(self, data):
        self.faults.append(f"comment {data}")

    def handle_decl(self, decl):
        self.faults.append(f"declaration {decl}")

    def handle_pi(self, data):
        self.faults.append(f"instruction {data}")


def faults(html):
    """What `html` holds that an answer may not."""
    look = _Look()
    look.feed(html)
    look.close()
    return look.faults
