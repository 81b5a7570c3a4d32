"""Diagrams and charts of Office files."""

from tests.documents.parsing.made import A, pptx, rels, shape, zipped
from webapp.documents.parsing.archive import Archive
from webapp.documents.parsing.office_graphics import write_graphics
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.pptx import PptxParser
from webapp.documents.parsing.writer import Writer

D = 'xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'


def words(*texts):
    return "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)


def points(name, kind, *values):
    held = "".join(f'<c:pt idx="{at}"><c:v>{v}</c:v></c:pt>' for at, v in enumerate(values))
    return f"<c:{name}><c:{kind}Ref><c:{kind}Cache>{held}</c:{kind}Cache></c:{kind}Ref></c:{name}>"


DIAGRAM = f"<d:m {D} {A}><d:pt><d:t>{words('Plan', 'well')}</d:t></d:pt><d:pt/></d:m>"
CHART = (
    f"<c:chartSpace {C} {A}><c:title><c:tx><c:rich>{words('Sales')}</c:rich></c:tx></c:title>"
    f"<c:ser>{points('tx', 'str', 'North')}{points('cat', 'str', '2023', '2024')}"
    f"{points('val', 'num', '4.3', '17')}</c:ser>"
    f"<c:ser>{points('tx', 'str', 'South')}{points('val', 'num', '8')}</c:ser></c:chartSpace>"
)


def written(tmp_path, **parts):
    links = rels(**{f"r{at}": (kind, f"{kind}.xml") for at, kind in enumerate(parts)})
    members = {"p/_rels/a.xml.rels": links, **{f"p/{k}.xml": v for k, v in parts.items()}}
    path = zipped(tmp_path / "0", members)
    writer = Writer(10**6)
    with Archive(Source(path, "x")) as archive:
        write_graphics(writer, archive, "p/a.xml")
    return writer.document().text


def test_boxes_of_a_diagram_are_lines(tmp_path):
    assert written(tmp_path, diagramData=DIAGRAM) == "Plan well"


def test_a_chart_is_its_title_and_a_table(tmp_path):
    assert written(tmp_path, chart=CHART) == "Sales\n | North | South\n2023 | 4.3 | 8\n2024 | 17"


def test_a_damaged_part_does_not_spoil_the_others(tmp_path):
    assert written(tmp_path, chart="<c", diagramData=DIAGRAM) == "Plan well"


def test_a_diagram_belongs_to_its_slide(tmp_path):
    path = pptx(tmp_path / "1", [shape("One", "title"), shape("Two", "title")])
    with Archive(Source(path, "x")) as archive:
        members = {name: archive.read(name) for name in archive.names}
    members["ppt/slides/_rels/slide1.xml.rels"] = rels(d=("diagramData", "../d/d.xml"))
    members["ppt/d/d.xml"] = DIAGRAM
    text = PptxParser().parse(Source(zipped(path, members), "x.pptx")).text
    assert text.index("One") < text.index("Plan well") < text.index("Two")
