"""What speaks for a team: several deliverables, several trades, several large verbs in one request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.router.request import Request

TEAM_WEIGHT = 6
"""What a clear case weighs; see `Signal`."""
MANY_PIECES = 3

_PIECES = re.compile(
    r"[,、;。:\n]|\band\b|\bplus\b|\bas well as\b|\balong with\b|\bwith\b|和|以及|同时|并且?|还有|"
    r"外加|与|及|包括|包含|再"
)
_MAKES = re.compile(
    r"筹备|组织|安排|设计|实现|开发|搭建|构建|做(?!什么|了|过|到|为|法)|制作|制定|准备|撰写|编写|写|"
    r"策划|规划|产出|输出|交付|完成|出(?:一|具)|重构|"
    r"\b(?:design|build|implement|create|develop|prepare|research|draft|plan|produce|write|deliver|"
    r"launch|make|set up|organi[sz]e)\b"
)
_DELIVERABLE = re.compile(
    r"规划|界面|说明|可视化|建模|清洗|场地|嘉宾|物料|课程|练习|模板|前后端|前端|后端|后台|数据库|接口|"
    r"页面|部署|测试|文档|报告|ppt|幻灯|演示|大纲|邮件|海报|文案|方案|计划书?|预算|邀请函|新闻稿|原型|"
    r"架构|需求|认证|评论功能|用户手册|策略|手册|课件|试题|考试题|步骤|预案|估算|设计稿|代码|题库|"
    r"模块|财务模型|指南|脚本|流程|纪要|表格|看板|分析|预测|调研|宣传|视频|logo|测试用例|监控|论文|"
    r"简报|问卷|合同|清单|小程序|官网|总结|\b(?:apis?|back-?end|front-?end|database|schema|ui|ux|"
    r"pages?|tests?|dockerfile|deployment|docs|documentation|document it|dashboards?|memo|reports?|"
    r"slides?|deck|outline|emails?|templates?|strategy|analysis|pricing|press release|posts?|faq|plan|"
    r"budget|copy|admin panel|slogans?|spreadsheet|guides?|proposal|requirements|architecture|"
    r"prototype|diagrams?|whitepaper|scripts?|newsletter|checklist|survey|brochure|posters?|manual|"
    r"auth\w*|ci|pipeline|monitoring|logo|wireframes?|roadmap|contract|presentation|table|cli|sdk|"
    r"website|web app|mobile app|model|migration|video|syllabus|exercises|exam|policy|terms|banner|"
    r"recommendation|helm chart|experiments|summary|service|server|clients?|handbook|quiz(?:zes)?|"
    r"runbook|training|survey|visuals|review|story|levels|notice|postmortem|inventory|payments|"
    r"art direction|monitoring)\b"
)
_HEAVY = re.compile(
    r"^(?:\s|请|帮我|帮|你|先|再|然后|最后|补|并|"
    r"组.{1,5}团队)*(?:(?:设计|实现|开发|搭建|构建|重构|审计|评审|调研|撰写|编写|写|制作|制定|准备|"
    r"规划|策划|部署|做|补齐|更新|修复|交付|输出|对比|评估|汇总|起草|优化|迁移|翻译)|"
    r"(?:please |then |also |finally |can you |could you |help me )*(?:design|build|implement|create|"
    r"develop|research|draft|audit|refactor|deploy|document|plan|prepare|produce|deliver|write|test|"
    r"evaluate|compare|review|migrate|launch|fix|analy[sz]e|benchmark|investigate|propose|rewrite|"
    r"redesign|update|collect|proofread|organi[sz]e|set up|train|schedule|publish|estimate|present|"
    r"summari[sz]e)\b)"
)
_TRADE = re.compile(
    r"架构师|程序员|开发|测试|产品经理|产品|设计师|设计|运维|前端|后端|法务|法律|财务|市场|运营|安全|"
    r"编辑|研究员|文案|分析师|项目经理|工程师|专家|技术|成本|业务|销售|人事|"
    r"\b(?:architects?|developers?|testers?|qa|designers?|product managers?|engineers?|researchers?|"
    r"writers?|editors?|analysts?|lawyers?|legal|financ\w+|marketing|marketers?|technical|security|"
    r"reviewers?|accountants?|translators?|economists?|sales|operations|critics?|coders?)\b"
)
_TOGETHER = re.compile(
    r"(?:让|由|请|找|派|安排|组织).{1,30}(?:一起|分别|协作|合作|共同|各自|配合|轮流|讨论|评审)|角度|"
    r"视角|(?:三|两|四|几|多)个?方面|团队|多(?:个)?(?:角色|专家|智能体|代理)|分工|"
    r"\bas an? [\w ]{1,24}, |\b(?:perspectives?|points? of view|viewpoints|angles|standpoints?|"
    r"as a team|team of|together|collaborat\w+|work with each other|multiple (?:agents|experts|roles)|"
    r"debate)\b|^(?:please )?(?:have|let|get|ask) (?:an?|the|our) "
)
_TEAM_WORDS = re.compile(
    r"一(?:个|位|名)人?[^,。]{1,12}[,、;]\s*(?:另)?一(?:个|位|名)人?[^,。]{1,12}[,、;]|分给不同的人|"
    r"\b(?:one|an?) (?:agent|person|member|expert)\b.{1,60}\b(?:another|the other|a second)\b|"
    r"(?:组建?|成立|派|用|叫)(?:一)?(?:个|支)?.{0,4}(?:团队|小组)|"
    r"(?:多|几|两|三|四)(?:个|位|名)?(?:角色|专家|智能体|同学|同事)(?:协作|一起|分别|讨论|评审|共同)|"
    r"团队(?:协作|模式|一起)|\b(?:assemble|form|use|spin up|as) an? team\b|"
    r"\bteam of (?:agents|experts|specialists)\b|\bmultiple agents\b|\bmulti-agent\b"
)
_WHOLE = re.compile(
    r"完整|全套|全流程|一整套|从零|从头|端到端|整个|全栈|都(?:要|完成|准备|搞定)|"
    r"\b(?:complete|full|whole|entire|end[- ]to[- ]end|from scratch|full-stack)\b"
)
_BIG = re.compile(
    r"机器人|工具|系统|平台|网站|应用|app|产品|项目|小程序|商城|工具链|发布会|活动|"
    r"\b(?:system|platform|website|application|app|product|program|campaign|service|game|store|shop|"
    r"conference|event|course|bot|tool|podcast|book|library)\b"
)
_LARGE_MAKES = re.compile(
    r"设计|开发|搭建|构建|实现|策划|规划|拆|重构|"
    r"\b(?:design|build|develop|create|launch|implement|plan|organi[sz]e)\b"
)
_FROM_MANY_SIDES = re.compile(
    r"分别(?:出|给|写|提|做).{0,4}(?:份|篇|意见|报告|建议|方案)|从[^,。到]{1,8}到[^,。到]{1,8}到|"
    r"从(?!.*(?:比较|对比|介绍|解释|说说|谈))[^,。]{1,8}[、,][^,。]{1,12}(?:和|、|与|"
    r"以及)[^,。]{1,12}(?:角度|视角|方面|立场|层面)|"
    r"\b(?:perspectives?|points? of view|viewpoints) of (?:an? |the )?\w+, .{1,40}\band\b"
)
_ONE_EACH = re.compile(r"各(?:出|写|给|一)?一?(?:份|篇|个)|\ba (?:report|document|plan) for each\b")
_EACH = re.compile(
    r"分别|各(?:一)?(?:份|篇|个)|各(?:出|写|给|自)|每(?:个|项|人)(?:都)?(?:一份|给)|"
    r"\b(?:for each|each of|respectively|one for each)\b"
)


def team_pull(request: Request) -> tuple[int, str]:
    """Give how much speaks for a team, and what spoke first; 0 and nothing where one agent does."""
    ask = request.ask
    if _TEAM_WORDS.search(ask):
        return TEAM_WEIGHT, "asks_for_a_team"
    pieces = [piece.strip() for piece in _PIECES.split(ask) if piece.strip()]
    if len(pieces) < 2:
        return 0, ""
    signs = [sign for sign in _signs(ask, pieces) if sign[0]]
    if not signs:
        return 0, ""
    more = (_WHOLE.search(ask) is not None) + (_EACH.search(ask) is not None)
    return sum(weight for weight, _ in signs) + more, signs[0][1]


def _signs(ask: str, pieces: list[str]) -> Iterator[tuple[int, str]]:
    """Give weights with names; `pieces` are the parts that commas and "and" make of the request."""
    things = _deliverables(ask, pieces)
    yield {0: 0, 1: 0, 2: 2, 3: 5}.get(things, TEAM_WEIGHT), f"{things}_deliverables"
    trades = _trades(ask, pieces)
    yield TEAM_WEIGHT if trades > 1 else 0, f"{trades}_trades"
    verbs = len({match[0] for piece in pieces if (match := _HEAVY.match(piece))})
    few = 2 if things > 1 else 0
    yield {0: 0, 1: 0, 2: few, 3: 4}.get(verbs, TEAM_WEIGHT), f"{verbs}_large_verbs"
    if _FROM_MANY_SIDES.search(ask):
        yield 5, "several_points_of_view"
    if len(pieces) > MANY_PIECES and _LARGE_MAKES.search(ask) and _BIG.search(ask):
        yield 4, "a_large_thing_in_parts"
    if len(pieces) > MANY_PIECES and things and _EACH.search(ask):
        yield 3, "parts_for_each"


def _deliverables(ask: str, pieces: list[str]) -> int:
    """Count the kinds of things that are to be made; each piece names one, however many nouns it has."""
    if not (_MAKES.search(ask) or _ONE_EACH.search(ask)):
        return 0
    return len({match[0] for piece in pieces if (match := _DELIVERABLE.search(piece))})


def _trades(ask: str, pieces: list[str]) -> int:
    """Count the trades that are to work or to speak side by side."""
    if not _TOGETHER.search(ask):
        return 0
    return len({trade for piece in pieces for trade in _TRADE.findall(piece)})
