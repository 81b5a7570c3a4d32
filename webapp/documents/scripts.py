"""Scripts of the world's writing, and sentences that show whether a model can read one.

Pure. A model that cannot takes all its words for unknown ones: then a question is hardly
closer to its own answer than to any other.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, Literal

Script = Literal["Chinese", "Japanese", "Korean", "Cyrillic", "Greek", "Arabic", "Devanagari"]

Pairs = tuple[tuple[str, str], ...]

# Each pair is a question and its answer, which has nothing to do with the other questions.
ENGLISH: Final[Pairs] = (
    (
        "How long is the notice period?",
        "Either party may end the contract with ninety days' notice.",
    ),
    (
        "How should plants be watered?",
        "In summer it is enough to water the flowers every other day.",
    ),
    ("When does the train leave?", "The service to the south departs at seven in the morning."),
    ("Why did he see a doctor?", "He had a fever and a cough and was examined in hospital."),
)
SENTENCES: Final[dict[Script, Pairs]] = {
    "Chinese": (
        ("合同的通知期有多长?", "任何一方均可提前九十天通知终止合同。"),
        ("怎样给植物浇水?", "夏天每隔两天给花浇一次水就够了。"),
        ("火车几点从车站出发?", "开往南方的列车早上七点发车。"),
        ("他为什么去看医生?", "他发烧咳嗽,所以到医院检查身体。"),
    ),
    "Japanese": (
        (
            "契約の通知期間はどのくらいですか。",
            "契約を終了するには九十日前に知らせなければなりません。",
        ),
        ("植物にはどのように水をやりますか。", "夏は二日に一度、花に水をやれば十分です。"),
        ("電車は何時に駅を出ますか。", "南へ向かう列車は朝七時に出発します。"),
        ("彼はなぜ医者に行ったのですか。", "熱と咳があったので、病院で診てもらいました。"),
    ),
    "Korean": (
        ("계약의 통지 기간은 얼마나 됩니까?", "계약을 끝내려면 구십 일 전에 알려야 합니다."),
        ("식물에 물을 어떻게 주나요?", "여름에는 이틀에 한 번 꽃에 물을 주면 충분합니다."),
        ("기차는 몇 시에 역을 떠나나요?", "남쪽으로 가는 열차는 아침 일곱 시에 출발합니다."),
        ("그는 왜 의사에게 갔습니까?", "열이 나고 기침이 나서 병원에서 진찰을 받았습니다."),
    ),
    "Cyrillic": (
        ("Каков срок уведомления по договору?", "Договор можно расторгнуть, сообщив за 90 дней."),
        ("Как поливать растения?", "Летом достаточно поливать цветы раз в два дня."),
        ("Во сколько поезд уходит со станции?", "Состав на юг отправляется в семь утра."),
        ("Почему он пошёл к врачу?", "У него были жар и кашель, и в больнице его осмотрели."),
    ),
    "Greek": (
        ("Ποια είναι η προθεσμία καταγγελίας;", "Η σύμβαση λύεται με ειδοποίηση ενενήντα ημερών."),
        ("Πώς ποτίζουμε τα φυτά;", "Το καλοκαίρι αρκεί νερό στα λουλούδια κάθε δύο μέρες."),
        ("Τι ώρα φεύγει το τρένο;", "Ο συρμός για τον νότο αναχωρεί στις επτά το πρωί."),
        ("Γιατί πήγε στον γιατρό;", "Είχε πυρετό και βήχα και τον εξέτασαν στο νοσοκομείο."),
    ),
    "Arabic": (
        ("ما هي مدة الإشعار في العقد؟", "يمكن إنهاء الاتفاق بإخطار قبل تسعين يوما."),
        ("كيف نسقي النباتات؟", "في الصيف يكفي الزهور ماء مرة كل يومين."),
        ("متى يغادر القطار المحطة؟", "ينطلق القطار إلى الجنوب في السابعة صباحا."),
        ("لماذا ذهب إلى الطبيب؟", "كان عنده حمى وسعال ففحصوه في المستشفى."),
    ),
    "Devanagari": (
        ("अनुबंध की सूचना अवधि कितनी है?", "समझौता नब्बे दिन पहले बताकर समाप्त किया जा सकता है।"),
        ("पौधों को पानी कैसे दें?", "गर्मियों में फूलों को दो दिन में एक बार सींचना काफी है।"),
        ("रेलगाड़ी स्टेशन से कब निकलती है?", "दक्षिण की ओर जाने वाली ट्रेन सुबह सात बजे चलती है।"),
        ("वह डॉक्टर के पास क्यों गया?", "उसे बुखार और खांसी थी, इसलिए अस्पताल में जांच हुई।"),
    ),
}

_LETTERS: Final[dict[Script, re.Pattern[str]]] = {
    "Japanese": re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]"),
    "Chinese": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "Korean": re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]"),
    "Cyrillic": re.compile("[\u0400-\u052f]"),
    "Greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "Arabic": re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]"),
    "Devanagari": re.compile("[\u0900-\u097f]"),
}
_ENOUGH: Final = 0.3


def script_of(text: str) -> Script | None:
    """The script in which a good part of the letters is written; None for Latin and others.

    Chinese characters among kana are Japanese."""
    letters = sum(map(str.isalpha, text)) or 1
    found = Counter({script: len(known.findall(text)) for script, known in _LETTERS.items()})
    if found["Japanese"] and (found["Japanese"] + found["Chinese"]) / letters > _ENOUGH:
        return "Japanese"
    script, count = found.most_common(1)[0]
    return script if count / letters > _ENOUGH else None
