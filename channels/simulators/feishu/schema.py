"""Which properties the objects of card JSON 2.0 may have; anything else is an error there.

Source: open.feishu.cn "Card JSON 2.0 structure" and its component pages, read 2026-02.

A property's value names what stands there: `text` a text object, `icon`, `parts` a list of components, `{shape}` an
object of that shape, `[shape]` a list of them, empty for a plain value or the app's own data.
"""

from __future__ import annotations

Shape = dict[str, str]


def _shape(plain: str = "", **special: str) -> Shape:
    return {**dict.fromkeys(plain.split(), ""), **special}


_EVERY = "tag element_id margin"
_BOX = "direction horizontal_spacing horizontal_align vertical_spacing vertical_align padding"
_PRESS: Shape = {"confirm": "{confirm}", "behaviors": "[behavior]", "disabled_tips": "text", "hover_tips": "text"}
_FIELD = f"{_EVERY} name required width disabled value type"

CARD: dict[str, Shape] = {
    "card": _shape("schema", config="{config}", card_link="{link}", header="{header}", body="{body}"),
    "config": _shape(
        "streaming_mode locales enable_forward update_multi width_mode use_custom_translation "
        "enable_forward_interaction style",
        streaming_config="{streaming_config}",
        summary="{summary}",
    ),
    "streaming_config": _shape("print_frequency_ms print_step print_strategy"),
    "summary": _shape("content i18n_content"),
    "link": _shape("url pc_url ios_url android_url"),
    "header": _shape(
        "template padding i18n_text_tag_list", title="text", subtitle="text", text_tag_list="[text_tag]", icon="icon"
    ),
    "body": _shape(_BOX, elements="parts"),
    "text_tag": _shape("tag element_id color", text="text"),
    "panel_header": _shape(
        "background_color vertical_align padding position width icon_position icon_expanded_angle",
        title="text",
        icon="icon",
    ),
    "border": _shape("color corner_radius"),
    "confirm": _shape("", title="text", text="text"),
    "behavior": _shape("type value default_url url pc_url ios_url android_url behavior"),
    "div_field": _shape("is_short", text="text"),
    "option": _shape("value", text="text", icon="icon"),
    "multi_url_action": _shape("", multi_url="{link}"),
    "table_column": _shape("name display_name width data_type vertical_align horizontal_align format date_format"),
    "header_style": _shape("text_align text_size background_style text_color bold lines"),
    "text": _shape("tag element_id margin content text_size text_color text_align lines i18n_content width"),
    "icon": _shape("tag element_id token color img_key size"),
    "column": _shape(f"{_EVERY} {_BOX} background_style width weight", action="{multi_url_action}", elements="parts"),
}

COMPONENTS: dict[str, Shape] = {
    "markdown": _shape(f"{_EVERY} content text_align text_size i18n_content", icon="icon"),
    "div": _shape(f"{_EVERY} width", text="text", icon="icon", fields="[div_field]"),
    "hr": _shape(_EVERY),
    "img": _shape(
        f"{_EVERY} img_key corner_radius scale_type size transparent preview mode custom_width compact_width",
        alt="text",
        title="text",
    ),
    "img_combination": _shape(f"{_EVERY} combination_mode combination_transparent corner_radius img_list"),
    "person": _shape(f"{_EVERY} size user_id show_avatar show_name style"),
    "person_list": _shape(f"{_EVERY} persons size lines show_avatar show_name drop_invalid_user_id", icon="icon"),
    "chart": _shape(f"{_EVERY} aspect_ratio color_theme chart_spec preview height"),
    "table": _shape(
        f"{_EVERY} page_size row_height row_max_height freeze_first_column rows",
        header_style="{header_style}",
        columns="[table_column]",
    ),
    "collapsible_panel": _shape(
        f"{_EVERY} {_BOX} expanded background_color",
        header="{panel_header}",
        border="{border}",
        elements="parts",
    ),
    "column_set": _shape(
        f"{_EVERY} horizontal_spacing horizontal_align flex_mode background_style",
        action="{multi_url_action}",
        columns="[column]",
    ),
    "form": _shape(f"{_EVERY} {_BOX} name", elements="parts"),
    "interactive_container": _shape(
        f"{_EVERY} {_BOX} width height background_style has_border border_color corner_radius disabled",
        elements="parts",
        **_PRESS,
    ),
    "button": _shape(f"{_FIELD} size form_action_type action_type url multi_url", text="text", icon="icon", **_PRESS),
    "input": _shape(
        f"{_FIELD} default_value max_length input_type rows auto_resize max_rows show_icon label_position",
        placeholder="text",
        label="text",
        **_PRESS,
    ),
    "overflow": _shape(_FIELD, options="[option]", **_PRESS),
    "select_static": _shape(f"{_FIELD} initial_option initial_index", placeholder="text", options="[option]", **_PRESS),
    "multi_select_static": _shape(f"{_FIELD} selected_values", placeholder="text", options="[option]", **_PRESS),
    "select_person": _shape(f"{_FIELD} initial_option options", placeholder="text", **_PRESS),
    "multi_select_person": _shape(f"{_FIELD} selected_values options", placeholder="text", **_PRESS),
    "date_picker": _shape(f"{_FIELD} initial_date", placeholder="text", **_PRESS),
    "picker_time": _shape(f"{_FIELD} initial_time", placeholder="text", **_PRESS),
    "picker_datetime": _shape(f"{_FIELD} initial_datetime", placeholder="text", **_PRESS),
    "select_img": _shape(f"{_FIELD} style multi_select layout aspect_ratio can_preview options", **_PRESS),
    "checker": _shape(f"{_FIELD} checked overall_checkable button_area checked_style padding", text="text", **_PRESS),
    "audio": _shape(f"{_EVERY} audio_id file_key show_time style background_color fill_color width"),
}

TEXT_TAGS = ("plain_text", "lark_md", "markdown")
ICON_TAGS = ("standard_icon", "custom_icon")
GONE_TAGS = ("action", "note")
CONTAINERS = ("column_set", "collapsible_panel", "form", "interactive_container")
INTERACTIVE = frozenset(COMPONENTS) & {
    "button", "input", "overflow", "select_static", "multi_select_static", "select_person", "multi_select_person",
    "date_picker", "picker_time", "picker_datetime", "select_img", "checker",
}  # fmt: skip
TEMPLATES = frozenset(
    {"blue", "wathet", "turquoise", "green", "yellow", "orange", "red"}
    | {"carmine", "violet", "purple", "indigo", "grey", "default"}
)
BUTTON_TYPES = frozenset(
    {"default", "primary", "danger", "text", "primary_text", "danger_text"}
    | {"primary_filled", "danger_filled", "laser"}
)
COLUMN_TYPES = frozenset({"text", "lark_md", "markdown", "options", "number", "persons", "date"})
