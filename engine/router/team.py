"""What speaks for a team: several deliverables, several trades, several large verbs in one request."""

from __future__ import annotations

import re

from engine.router.request import Request

TEAM_WEIGHT = 6
"""What a clear case weighs; see `Signal`."""
MANY_PIECES = 3

_PIECES = re.compile(r"[,、;。:\n]|\band\b|\bplus\b|\bas well as\b|\balong with\b|\bwith\b|和|以及|同时|并且?|还有|外加|与|及|包括|包含|再")
_MAKES = re.compile(
    r"设计|实现|开发|搭建|构建|做(?:一|个|出|好|完)|制作|制定|准备|撰写|编写|写|策划|规划|产出|输出|交付|完成|出(?:一|具)|重构|"
    r"\b(?:design|build|implement|create|develop|prepare|research|draft|plan|produce|write|deliver|launch|make|set up|organi[sz]e)\b"
)
_DELIVERABLE = re.compile(
    r"前后端|前端|后端|后台|数据库|接口|页面|部署|测试|文档|报告|ppt|幻灯|演示|大纲|邮件|海报|文案|方案|计划书?|预算|邀请函|新闻稿|原型|架构|需求|认证|评论功能|"
    r"用户手册|策略|手册|课件|试题|考试题|步骤|预案|估算|设计稿|代码|题库|模块|财务模型|指南|脚本|流程|纪要|表格|看板|分析|预测|调研|宣传|视频|logo|测试用例|监控|论文|简报|问卷|合同|清单|小程序|官网|总结|"
    r"\b(?:apis?|back-?end|front-?end|database|schema|ui|ux|pages?|tests?|dockerfile|deployment|docs|documentation|document it|dashboards?|memo|"
    r"reports?|slides?|deck|outline|emails?|templates?|strategy|analysis|pricing|press release|posts?|faq|plan|budget|copy|admin panel|"
    r"slogans?|spreadsheet|guides?|proposal|requirements|architecture|prototype|diagrams?|whitepaper|script|newsletter|checklist|"
    r"survey|brochure|posters?|manual|auth\w*|ci|pipeline|monitoring|logo|wireframes?|roadmap|contract|presentation|table|cli|sdk|"
    r"website|web app|mobile app|model|migration|video|service|server|clients?|handbook|quiz(?:zes)?|runbook|training|survey|visuals|review|story|levels|notice|postmortem|inventory|payments|art direction|monitoring)\b"
)
_HEAVY = re.compile(
    r"^(?:\s|请|帮我|帮|你|先|再|然后|最后|补|并|组.{1,5}团队)*(?:(?:设计|实现|开发|搭建|构建|重构|审计|评审|调研|撰写|编写|写|制作|制定|准备|规划|策划|部署|做|补齐|更新|修复|交付|输出|对比|"
    r"评估|汇总|起草|优化|迁移|翻译)"
    r"|(?:please |then |also |finally |can you |could you |help me )*(?:design|build|implement|create|develop|research|draft|audit|refactor|"
    r"deploy|document|plan|prepare|produce|deliver|write|test|evaluate|compare|review|migrate|launch|fix|analy[sz]e|benchmark|investigate|organi[sz]e|set up|train|schedule|publish|estimate|present|summari[sz]e)\b)"
)
_TRADE = re.compile(
    r"架构师|开发|测试|产品经理|产品|设计师|设计|运维|前端|后端|法务|法律|财务|市场|运营|安全|编辑|研究员|文案|分析师|项目经理|工程师|专家|技术|成本|业务|销售|人事|"
    r"\b(?:architects?|developers?|testers?|qa|designers?|product managers?|engineers?|researchers?|writers?|editors?|analysts?|lawyers?|legal|"
    r"financ\w+|marketing|marketers?|technical|security|reviewers?|accountants?|translators?|economists?|sales|operations|critics?|coders?)\b"
)
_TOGETHER = re.compile(
    r"(?:让|由|请|找|派|安排|组织).{1,30}(?:一起|分别|协作|合作|共同|各自|配合|轮流|讨论|评审)|角度|视角|(?:三|两|四|几|多)个?方面|团队|多(?:个)?(?:角色|专家|智能体|代理)|分工|"
    r"\bas an? [\w ]{1,24}, |\b(?:perspectives?|points? of view|viewpoints|angles|standpoints?|as a team|team of|together|collaborat\w+|work with each other|"
    r"multiple (?:agents|experts|roles)|debate)\b|^(?:please )?(?:have|let|get|ask) (?:an?|the|our) "
)
_TEAM_WORDS = re.compile(
    r"(?:组建?|成立|派|用|叫)(?:一)?(?:个|支)?.{0,4}(?:团队|小组)|(?:多|几|两|三|四)(?:个|位|名)?(?:角色|专家|智能体|同学|同事)(?:协作|一起|分别|讨论|评审|共同)|团队(?:协作|模式|一起)|"
    r"\b(?:assemble|form|use|spin up|as) an? team\b|\bteam of (?:agents|experts|specialists)\b|\bmultiple agents\b|\bmulti-agent\b"
)
_WHOLE = re.compile(
    r"完整|全套|全流程|一整套|从零|从头|端到端|整个|全栈|都(?:要|完成|准备)|\b(?:complete|full|whole|entire|end[- ]to[- ]end|from scratch|full-stack)\b"
)
_BIG = re.compile(
    r"系统|平台|网站|应用|app|产品|项目|小程序|商城|工具链|发布会|活动|"
    r"\b(?:system|platform|website|application|app|product|program|campaign|service|game|store|shop|conference|event|course)\b"
)
_LARGE_MAKES = re.compile(
    r"设计|开发|搭建|构建|实现|策划|规划|拆|重构|\b(?:design|build|develop|create|launch|implement|plan|organi[sz]e)\b"
)
_FROM_MANY_SIDES = re.compile(
    r"从[^,。]{1,8}[、,][^,。]{1,12}(?:和|、|与|以及)[^,。]{1,12}(?:角度|视角|方面|立场|层面)|"
    r"\b(?:perspectives?|points? of view|viewpoints) of (?:an? |the )?\w+, .{1,40}\band\b"
)
_EACH = re.compile(r"分别|各(?:一)?(?:份|篇|个)|各(?:出|写|给|自)|每(?:个|项|人)(?:都)?(?:一份|给)|\b(?:for each|each of|respectively|one for each)\b")


def team_pull(request: Request) -> tuple[int, str]:
    """Give how much speaks for a team, and what; 0 and nothing where one agent does."""
    ask = request.ask
    if _TEAM_WORDS.search(ask):
        return TEAM_WEIGHT, "asks_for_a_team"
    pieces = [piece for piece in _PIECES.split(ask) if piece and piece.strip()]
    if len(pieces) < 2:
        return 0, ""
    weight, found = 0, ""
    things = {match[0] for piece in pieces if (match := _DELIVERABLE.search(piece))}
    if _MAKES.search(ask) and len(things) > 1:
        weight, found = {2: 2, 3: 5}.get(len(things), TEAM_WEIGHT), f"{len(things)}_deliverables"
    if len(pieces) > MANY_PIECES and _LARGE_MAKES.search(ask) and _BIG.search(ask):
        weight, found = weight + 3, found or "a_large_thing_in_parts"
    if len(pieces) > MANY_PIECES and things and _EACH.search(ask):
        weight, found = weight + 3, found or "parts_for_each"
    verbs = {match[0].strip() for piece in pieces if (match := _HEAVY.match(piece.lstrip()))}
    if len(verbs) > 2:
        weight, found = weight + (4 if len(verbs) == 3 else TEAM_WEIGHT), found or f"{len(verbs)}_large_verbs"
    if _FROM_MANY_SIDES.search(ask):
        weight, found = weight + 5, found or "several_points_of_view"
    trades = {match for piece in pieces for match in _TRADE.findall(piece)}
    if len(trades) > 1 and _TOGETHER.search(ask):
        weight, found = weight + TEAM_WEIGHT, f"{len(trades)}_trades"
    if weight:
        weight += (_WHOLE.search(ask) is not None) + (_EACH.search(ask) is not None)
    return weight, found
