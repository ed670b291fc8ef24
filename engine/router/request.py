"""What a router reads: the asking words apart from the material that was given with them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from engine.agent.route import Way
from engine.messages import EnclosedPart, FilePart, RunInput

HEAD_CHARS = 1_000
TAIL_CHARS = 300
"""Of a huge text only its beginning and its end are read: people ask before or after what they paste."""
ASK_HEAD_CHARS = 160
ASK_TAIL_CHARS = 60

CODE = "\ue000"
QUOTED = "\ue001"
TERM = "\ue002"
"""What stands in the asking words where code, quoted words or a term between back-quotes stood; a term is no
material."""

FILE_ENDINGS = (
    r"py|pyi|ipynb|js|mjs|ts|tsx|jsx|vue|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|lua|sh|bash|zsh|"
    r"ps1|sql|html?|css|scss|json|jsonl|ya?ml|toml|ini|cfg|conf|env|xml|csv|tsv|txt|md|rst|log|lock|"
    r"pdf|docx?|xlsx?|pptx?|odt|rtf|png|jpe?g|gif|svg|webp|bmp|mp3|mp4|wav|mov|zip|tar|gz|tgz|7z|rar|"
    r"db|sqlite|parquet|bak|tmp|tex|proto"
)
FILE_NAME = (
    r"(?<![a-z0-9_@])(?!(?:node|vue|next|nuxt|three|express|react|d3|chart|socket|asp|vb|ml)\.(?:js|"
    r"ts|net|io)\b)"
    rf"[a-z0-9_][a-z0-9_./\\-]{{0,80}}\.(?:{FILE_ENDINGS})(?![a-z0-9_])"
    r"|(?<![a-z0-9])(?<!\ba )(?<!\ban )(?:dockerfile|makefile|readme|changelog|license file|"
    r"\.gitignore|\.env)(?![a-z0-9])"
)
URL = r"(?:https?://|\bwww\.)[^\s,。、\"')>\u3400-\u9fff]+"
LINK = "https://link"
"""What stands where an address stood: its words are no words of the person."""
_URL = re.compile(URL)
_BARE_PLACE = re.compile(rf"\s*(?:{URL}|{FILE_NAME})\s*")

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTE_LINE = re.compile(r"^>.*$", re.MULTILINE)
_QUOTED = re.compile(
    r"“([^“”]{1,400})”|「([^「」]{1,400})」|『([^『』]{1,400})』|\"([^\"\n]{1,400})\"|"
    r"`([^`\n]{1,200})`|(?<![a-z0-9])'([^'\n]{1,200})'(?![a-z0-9])|‘([^‘’]{1,200})’"
)
_LABELLED = re.compile(r"([^:\n]{2,100}):(?!//)\s*(\S.*)\Z", re.DOTALL)
_FIRST_LINE = re.compile(r"([^\n]{2,100})\n\s*(\S.{20,})\Z", re.DOTALL)
TAKES_TEXT = re.compile(
    r"翻译|翻成|译成|译为|总结|概括|提炼|摘要|归纳|润色|改写|改得|改成|改一下|修改|缩写|扩写|续写|"
    r"纠正|纠错|校对|语病|错别字|解释|什么意思|报错|错误|异常|排序|分类|起.{0,4}名|取.{0,4}名|"
    r"写(?:一|段|封|篇|条|句|个)|回复|文案|英译|中译|格式化|合成|合并|这段话|这句话|这段文字|下面|"
    r"以下|下列|一下|提取|translat|format|review|reply|word |summari[sz]e|tl;?dr|rewrite|rephrase|"
    r"paraphrase|proofread|grammar|spelling|typos?|polish|shorten|simplify|explain|correct|sort|"
    r"classify|extract|convert|turn (?:this|these)|bullet|error|combine|merge|split|the following|"
    r"this (?:text|sentence|paragraph|email|message)|below|what does|improve|make (?:this|it)"
)
"""Before a colon or on a first line: what follows is the text to work on."""


@dataclass(frozen=True)
class Request:
    """A request as the rules see it. Build it with `read_request`."""

    whole: str
    """Everything that was written, cut, in small letters and plain punctuation."""
    ask: str
    """The asking words alone, at most `ASK_HEAD_CHARS + ASK_TAIL_CHARS` characters and a line break."""
    has_material: bool = False
    """Text to work on stands in the message: after a colon, in quotation marks, quoted, or as code."""
    has_code: bool = False
    files: int = 0
    """How many files and pictures came with it."""
    previous: Way | None = None
    """The way of the conversation's last request; `None` at its beginning."""

    @cached_property
    def is_chinese(self) -> bool:
        """Tell whether Chinese is in the asking words."""
        return re.search(r"[\u3400-\u9fff]", self.ask) is not None

    @cached_property
    def is_latin(self) -> bool:
        """Tell whether anything but Chinese may be in the asking words: letters, or signs alone."""
        return not self.is_chinese or re.search(r"[a-z]", self.ask) is not None


def request_of(given: RunInput, previous: Way | None = None) -> Request:
    """Give the request that a run's input makes; quoted messages are material, other enclosures are files."""
    enclosed = [part for part in given.parts if isinstance(part, EnclosedPart)]
    words = sum(part.is_words for part in enclosed)
    files = len(enclosed) - words + sum(isinstance(part, FilePart) for part in given.parts)
    return read_request(given.text, files=files, quotes=words, previous=previous)


def read_request(text: str, *, files: int = 0, quotes: int = 0, previous: Way | None = None) -> Request:
    """Tell the asking words of `text` from its material. Takes any text, however long or broken."""
    whole = _cut(_plain(_cut(text, HEAD_CHARS, TAIL_CHARS)), HEAD_CHARS, TAIL_CHARS)
    ask, codes = _FENCE.subn(CODE, whole)
    ask = _URL.sub(LINK, ask)
    ask, lines = _QUOTE_LINE.subn("", ask)
    ask = _QUOTED.sub(_without_words, ask)
    short = _before_material(ask.strip())
    material = bool(codes or lines or quotes or QUOTED in ask) or len(short) < len(ask.strip())
    return Request(
        whole=whole,
        ask=_cut(short, ASK_HEAD_CHARS, ASK_TAIL_CHARS),
        has_material=material,
        has_code=bool(codes),
        files=files,
        previous=previous,
    )


def _plain(text: str) -> str:
    """Give small letters and half-width punctuation, so that a pattern is written once."""
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'").strip()


def _cut(text: str, head_chars: int, tail_chars: int) -> str:
    if len(text) <= head_chars + tail_chars:
        return text
    return f"{text[:head_chars]}\n{text[-tail_chars:]}"


def _without_words(found: re.Match[str]) -> str:
    """Keep a file's name or an address that stands in quotation marks; other quoted words are material."""
    inner = next(group for group in found.groups() if group is not None)
    if _BARE_PLACE.fullmatch(inner):
        return f" {inner} "
    return TERM if found[0].startswith("`") else QUOTED


def _before_material(ask: str) -> str:
    for shape in (_LABELLED, _FIRST_LINE):
        found = shape.match(ask)
        if found and TAKES_TEXT.search(found[1]) and not _BARE_PLACE.match(found[2]):
            return found[1]
    return ask
