"""What speaks for tools: a file, a path, an address, "here", something that came with the message."""

from __future__ import annotations

from engine.router.request import FILE_NAME, URL
from engine.router.signal import Signal

PLACES = (
    Signal("names_a_file", "agent", 7, zh=FILE_NAME, en=FILE_NAME),
    Signal(
        "names_a_path",
        "agent",
        6,
        zh=r"(?:^|[\s,:(]|[\u3400-\u9fff])(?:~|\.{1,2})?/[a-z][\w.-]*|"
        r"\b(?:src|docs?|tests?|scripts?|lib|bin|config|tmp|logs?)(?:/|\s*(?:目录|文件夹))",
        en=r"(?:^|[\s:(])(?:~|\.{1,2})?/[a-z][\w.-]*|\b(?:src|docs?|tests?|scripts?|lib|bin|config)/\w|"
        r"[a-z]:\\|\b[\w-]*[_.][\w-]* (?:folder|directory)\b",
    ),
    Signal("names_an_address", "agent", 5, zh=URL, en=URL),
    Signal(
        "names_a_host",
        "agent",
        4,
        zh=r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|localhost|端口\s*\d+|\d+\s*端口",
        en=r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|\blocalhost\b|\bport \d+\b|"
        r"\b[a-z0-9-]+\.(?:com|org|net|io|cn|dev) (?:is )?(?:up|down|reachable|online|available|alive)\b",
    ),
    Signal(
        "is_here",
        "agent",
        7,
        zh=r"(?:两|三|几|这些)个?(?:目录|文件夹|文件|分支|表)|"
        r"(?:这个|这台|当前|本|该|此|咱们|我们的?|整个)(?:项目|仓库|代码库|工程|目录|文件夹|工作区|分支|"
        r"机器|主机|服务器|电脑|群|频道|会话|环境|系统|数据库)|(?:群|频道)里|群文件|聊天记录|本机|"
        r"系统时间|本地(?:的)?(?:文件|目录|仓库|环境)|服务器上|(?:生产|测试|预发|线上)环境|代码里|仓库里|"
        r"项目里",
        en=r"\b(?:this|the current|current|our|my|the whole|the entire|local) (?:\w+ )?(?:repo(?:sitory)?|"
        r"project|folder|directory|machine|server|codebase|workspace|branch|computer|channel|group|thread|"
        r"system|environment|cluster|pipeline|build)\b|\b(?:installed|running|fail\w*|here) here\b|"
        r"\bhere\?*$|\bin here\b|\bon (?:this|the) (?:machine|server|host|box)\b|\bmy (?:public )?ip\b|"
        r"\bin the (?:\w+ )?(?:folder|directory|config|table|workspace)\b|"
        r"\bin the (?:repo|code|codebase|repository|logs?|channel|group)\b",
    ),
    Signal(
        "comes_with_it",
        "agent",
        10,
        zh=r"附件|(?:这|那)(?:份|张|个|些|几份|两份)\s*(?:表格?|表|文件|文档|pdf|ppt|excel|word|图片?|照片|"
        r"截图|财报|报表|报告|合同|简历|压缩包|录音|视频|数据|名单|账单|发票|日志|论文)|"
        r"我(?:刚)?(?:上传|发)(?:的|给你)|上传的|截图里|录音|语音(?:里|消息)|"
        r"(?:发票|图|照片|视频|表|文档|pdf|两个表|日志)(?:里|中)|识别.{0,4}(?:图|发票|文字)|"
        r"图(?:片)?(?:里|中|上)",
        en=r"\battach(?:ed|ment)s?\b|\b(?:this|that|these) (?:uploaded |shared )?(?:spreadsheet|pdf|file|"
        r"document|picture|image|photo|screenshot|csv|excel|slides?|deck|recording|video|contract|resume|"
        r"invoice|sheet|dataset|data)\b|\bi (?:just )?(?:uploaded|attached|shared|sent)\b|\buploaded\b|"
        r"\btranscribe\b|\bvoice (?:message|note)\b",
    ),
    Signal(
        "names_a_thing_given",
        "agent",
        4,
        zh=r"(?:这|那)个(?:网站|网页|页面|链接)|所在的?文件|(?:里|中)(?:面)?(?:写了|提到|有没有|说了|记录)",
        en=r"\bthe (?:uploaded |shared )?(?:spreadsheet|pdf|document|picture|image|photo|screenshot|csv|"
        r"recording|invoice|contract|sheet|dataset|file)\b",
    ),
    Signal(
        "points_at_something",
        "agent",
        2,
        zh=r"(?:这个|那个|这次|上次)(?!.{0,3}(?:词|字|句|成语|问题|概念|单词|短语|符号|意思|说法|方法|功能|"
        r"表情))|服务器|cpu|内存|磁盘|硬盘",
        en=r"\b(?:the|this) (?:disk|server|schedule|bug|database|build|cluster|queue|deployment|pipeline|"
        r"machine|release|backup|ticket|order|invoice|log|outage|incident)s?\b",
    ),
)
