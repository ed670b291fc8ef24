"""What speaks for tools: facts that change with time, the state of systems, what only this house knows."""

from __future__ import annotations

from engine.router.signal import Signal

_ZH_SYSTEM = (
    r"(?:服务器|服务|数据库|容器|集群|磁盘|硬盘|内存|cpu|端口|进程|构建|流水线|部署|证书|备份|日志|"
    r"队列|接口|网站|站点|域名|网络|测试|任务|定时任务|机器|主机|环境|线上|生产|缓存|nginx|redis|"
    r"mysql|docker|api)"
)
_EN_SYSTEM = (
    r"(?:servers?|services?|database|db|containers?|cluster|disk|memory|cpu|ports?|process(?:es)?|"
    r"build|pipeline|ci|deployments?|deploy|certificates?|cert|backups?|logs?|queue|endpoint|api|site|"
    r"website|domain|network|tests?|jobs?|machine|host|staging|production|prod|cache|nginx|redis|"
    r"postgres|mysql|docker|worker|app|release|branch|repo|version)"
)

FACTS = (
    Signal(
        "changes_with_time",
        "agent",
        4,
        zh=r"天气|气温|跌了|涨了|下雪|(?:今天|明天|现在|外面|今晚).{0,6}多少度|下雨|股价|股票|行情|汇率|油价|"
        r"金价|房价|币价|比特币|大盘|指数|新闻|热搜|头条|比分|赛程|票房|航班|高铁|火车票|机票|车次|路况|"
        r"堵车|限行|快递|物流|最新(?:的)?(?:版本|消息|进展|版|政策|价格|数据)|附近|现在几点|几点了|"
        r"今天(?:星期|周|几号|多少号)|比赛结果|多少钱|收盘|开盘|现在多少|价格是|"
        r"什么时候(?:上映|发布|开售|开放)|上映|空气质量|疫情",
        en=r"\b(?:weather|temperature (?:in|outside|today)|forecast|stock price|share price|exchange rate|"
        r"price of|news|headlines|scores?\b.{0,20}\b(?:game|match|last|today)|flight|traffic|"
        r"latest (?:version|release|news|price|on)|bitcoin|btc|near me|nearby|what time is it|"
        r"who won\b.{0,40}\b(?:last|yesterday|today|tonight)|what's new|"
        r"current (?:time|price|version|date|president|ceo|weather)|who won (?:the )?(?:game|match|last)|"
        r"trending|air quality|open now|opening hours|nasdaq|raining|snowing|rates? (?:today|now)|"
        r"(?:dollar|euro|yen|yuan|pound) to|dow jones|s&p|market cap|when is the next|"
        r"next (?:train|bus|flight|ferry|launch|game|match|meeting)|(?:going to|will it) (?:rain|snow)|"
        r"box office|what day is (?:it|today)|trading at)\b",
    ),
    Signal(
        "names_a_day",
        "agent",
        1,
        zh=r"今天|明天|下周|目前|现在|此刻|今年|今晚",
        en=r"\b(?:today|tomorrow|tonight|next week|currently|now|still|since|this afternoon)\b",
    ),
    Signal(
        "names_what_just_was",
        "agent",
        4,
        zh=r"最新|昨天|前天|刚刚|最近|上(?:周|个?月|季度|一?年)(?!级)|本(?:周|月|季度|年)|这(?:周|个月|两天)|"
        r"今早|昨晚|实时|今天早上",
        en=r"\b(?:yesterday|last (?:night|week|month|quarter|year|\d+)|"
        r"this (?:week|month|morning|quarter|year)|recent(?:ly)?|right now|latest)\b",
    ),
    Signal(
        "state_of_a_system",
        "agent",
        4,
        zh=rf"{_ZH_SYSTEM}.{{0,10}}(?:在跑|运行|挂了|还剩|剩余|剩多少|通过了|完成了|成功|正常|占用|用了|够|"
        rf"过了|都过|打不开|打开不了|报 ?\d|返回|通不通|连得上|连不上|卡|报错|报警|活着|过期|使用率|负载|"
        r"什么时候|失败|重启|有没有问题|状态|好了|慢|异常|多大|有多少|起来了)|"
        r"(?:失败|挂|崩|重启|报警|宕机)了|使用率|覆盖率|通不通",
        en=rf"\b(?:is|are|does|did|has|have|do) (?:the |our |my |"
        rf"any )?[\w.-]*\s?[\w.-]*\s?\b{_EN_SYSTEM}\b.{{0,20}}\b(?:up|down|running|"
        r"open|alive|healthy|reachable|pass(?:ing|ed)?|fail(?:ing|ed)?|finish(?:ed)?|done|complete[d]?|"
        r"expir\w+|full|slow|work(?:ing)?|"
        r"broken|green|red|installed|succeed(?:ed)?|go|still|restart(?:ed)?|crash(?:ed)?|stuck|live|"
        r"compile[sd]?|coverage)\b|"
        rf"\bwhy (?:did|is|has|was|does|are|do) (?:the|our|my) (?:\w+ )?{_EN_SYSTEM}\b.{{0,20}}\b(?:fail|"
        rf"crash|down|slow|restart|red|stuck|break|"
        r"broke|time|error|stop|return|keep)\w*|\b(?:test|code) coverage\b|\bis broken\b|"
        r"\bcan't (?:log ?in|connect|access|reach)\b|"
        r"\bare there any (?:failed|open|new|pending|running|errors?|stuck)\b|\bdisk space\b|\buptime\b|"
        r"\bhow (?:much|big|full|large) (?:\w+ )?(?:is |are )?(?:the|our|my|left|free)\b|"
        r"\b(?:space|memory|ram) (?:is |are )?(?:left|free|used|available)\b|"
        r"\bprocess(?:es)? (?:is|are|use|using)\b|\bis \w+ installed\b|"
        rf"\b(?:status|health|state) of (?:the|our|my|all)\b",
    ),
    Signal(
        "asks_the_code",
        "agent",
        5,
        zh=r"(?:哪个|哪些|什么)(?:文件|目录|模块|分支|提交|函数|类|接口|测试)|"
        r"(?:最近|上)(?:的)?(?:几|一|两|三|五|十|\d+)?次?(?:提交|改动)|"
        r"谁(?:最后|最近)?(?:改|提交)(?:了|的|过)|git (?:log|diff|status|blame)|未合并|代码量|"
        r"[a-z_]+ ?表(?:里|中|有|的)|(?:所有|全部)的? ?todo|代码行数|多少行(?:代码)?|"
        r"依赖.{0,8}(?:过期|过时|更新|版本)|pr ?#?\d+|issue ?#?\d+|(?:函数|类|变量|方法)(?:在|是在)?哪",
        en=r"\b(?:which|what) (?:files?|branch|commit|module|function|tests?|class|folder|dependenc\w+|"
        r"packages?)\b|\b(?:last|latest|recent) (?:\w+ )?commits?\b|"
        r"\bwho (?:last )?(?:changed|committed|touched|broke|edited|owns)\b|\bwho wrote this\b|"
        r"\bgit (?:log|diff|status|blame)\b|\bwhere is .{1,40} (?:defined|used|called|implemented|"
        r"declared|set)\b|\b(?:every|all) (?:use|call|usage|reference|todo|occurrence)s?\b|"
        r"\b(?:lines of code|code lines|python lines|dependencies)\b|"
        r"\b(?:pr|pull request|issue|ticket|mr) ?#?\d+\b|"
        r"\b(?:tickets|issues|prs|incidents|bugs|tasks) (?:are|is) (?:still )?(?:open|left|assigned|"
        r"blocked|overdue)\b|\bopen (?:prs?|pull requests|issues|tickets|bugs)\b|\bwhat changed\b|"
        r"\b(?:rows?|records?|entries) (?:are |is )?in\b|\bgit (?:status|diff)\b|"
        r"\bversion (?:is|of \w+ is|do we) (?:\w+ )?(?:installed|use|run)|\bis installed\b",
    ),
    Signal(
        "only_this_house_knows",
        "agent",
        4,
        zh=r"知识库|(?:我们|咱们|公司|团队|部门|本)(?:公司|的)?(?:的)?(?:制度|规定|年假|差旅|报销|手册|文档|"
        r"流程|规范|福利|政策|考勤|周报|客户|订单|库存|销售|项目|服务|系统|官网|网站|群|排期|接口人|值班|"
        r"会议|合同|团队|产品)|我(?:的|有(?:哪些|什么|几个))?(?:今天|明天|这周|本周|下周)?(?:的|"
        r"有(?:哪些|什么|几个))?(?:日程|会议|会|待办|任务|邮件|工单|审批|日历|考勤|年假|订单|快递|pr)|"
        r"待办|(?:请|休)(?:明天|今天|后天|下周|.天).{0,3}假|批了|审批|排班|会议室|食堂|班车|工资条|打卡|"
        r"未读|收件箱|(?:直属)?领导是|负责人|接口人|(?:的|工作)(?:邮箱|电话|手机号|分机|工位)|"
        r"(?:哪些|什么)任务|(?:根据|按照?)(?:公司|内部|我们|知识库|手册|制度|规范)|值班|"
        r"报销(?:制度|标准|流程)|订单(?:号)?\s*\d|工单\s*\d|客户.{0,6}(?:最|哪|多少)|"
        r"(?:销售额|营收|库存|日活|月活|用户数|转化率|访问量|访问统计|留存|订单(?:量|数))",
        en=r"\b(?:handbook|knowledge base|wiki|intranet|confluence|jira|notion|salesforce|crm|"
        r"our (?:company|team|polic\w+|docs?|documentation|process|customers?|orders?|sales|inventory|"
        r"revenue|guidelines?|office|runbook|ssl|domain|website|users?|api|services?|database|servers?|"
        r"app|product|cert\w*|contract\w*|backlog|roadmap|meeting\w*|sprint|onboarding|budget|staging|"
        r"production))\b|\bmy (?:calendar|inbox|emails?|meetings?|tasks?|to-?dos?|tickets?|schedule|"
        r"appointments?|orders?|prs?|vacation days|expenses?)\b|"
        r"\b(?:unread|inbox|new emails?|emails? from)\b|"
        r"\b\w+'s (?:phone|email|extension|calendar|number|desk|schedule)\b|"
        r"\bwho(?:'s| is) (?:responsible|in charge)|\bwho (?:owns|runs|handles)\b|"
        r"\b(?:leave|vacation|expense|access) (?:request|claim)s?\b|\b(?:request|claim) #?\d|\bon call\b|"
        r"\b(?:on )?the schedule\b|\bcompany (?:policy|handbook|rules)\b|"
        r"\b(?:do|does|did|can) (?:we|our company|our team) (?:have|get|offer|allow|use|sell|support|"
        r"earn)\b|\border #?\d|\bticket #?\d|\bcustomers? (?:has|have|with|did|bought|signed)|"
        r"\bsigned up\b|\b(?:sales|revenue|orders|signups) (?:for|in|from|of|last|this|by|did|were)\b|"
        r"\bhow (?:many|much) .{1,30}\b(?:did|do|have) we\b",
    ),
    Signal(
        "asks_about_us",
        "agent",
        4,
        zh=r"(?:我们|咱们|(?<![小大个支家])(?:公司|团队)).{0,14}(?:\?|吗|什么|哪|谁|几|多少|为什么)|"
        r"我(?:还)?(?:剩|有)(?:下)?(?:多少|几|哪些|什么)|"
        r"我的.{1,12}(?:到哪|什么时候|几|多少|谁|状态|进度|在哪)|"
        r"(?:客户|合同|工单|订单|审批|发票|账单|供应商|库存|需求|排期|版本|产品).{0,12}(?:什么时候|谁|"
        r"到哪|进度|状态|多少|哪个|几号|到期|卖)|线上",
        en=r"^(?:what|who|when|where|which|how|do|does|did|is|are|has|have|why)\b.{0,60}\b(?:our|us)\b|"
        r"^(?:what|who|when|where|which|did|have|how many|how much)\b.{0,40}\bwe\b|"
        r"\bdo i (?:still )?have\b|\b(?:have|has) (?:i|we) (?:got|left)\b|"
        r"\b(?:account manager|invoice|shipment|refund|vendor|client|customer|contract|purchase order|"
        r"headcount|payroll|tenant|supplier)s?\b.*\?",
    ),
    Signal(
        "asks_about_a_period",
        "agent",
        2,
        zh=r"(?:上|本|这)(?:周|个?月|季度|年).*(?:多少|哪|几|吗|什么|谁)",
        en=r"\b(?:which|what|who|how (?:many|much)|did|any)\b.*\b(?:last|this|past) (?:week|month|quarter|"
        r"year|night)\b",
    ),
    Signal(
        "searches_the_web",
        "agent",
        4,
        zh=r"有没有人遇到|搜(?:一下|一搜|索)|上网|网上(?:搜|查|找)|联网|搜索(?:一下|引擎)?|百度一下|谷歌一下|"
        r"官网",
        en=r"\b(?:search|look|check|find).{0,20}\b(?:web|internet|online)\b|\bgoogle (?:it|for|this)\b|"
        r"\bofficial (?:site|website)\b",
    ),
)
