/** Plans and task cards: what an agent does, step by step, each foldable to its details. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { linkProps } from "./markdown.js";
import { richText } from "./rich_text.js";
import { plainText } from "./mrkdwn.js";
import { say } from "./words.js";

const STATES = {
  pending: ["circle", "statePending"],
  in_progress: ["loading", "stateInProgress"],
  complete: ["check", "stateComplete"],
  error: ["warning", "stateError"],
};

/** Draw a `plan` block. */
export function drawPlan(block, key, context) {
  const tasks = block.tasks ?? [];
  const done = tasks.filter((task) => task.status === "complete").length;
  return h(
    "section",
    { class: "plan", "aria-label": words(block.title) },
    h(
      "div",
      { class: "plan-head" },
      icon("list"),
      h("strong", null, words(block.title)),
      h("span", { class: "plan-count" }, `${done}/${tasks.length}`),
    ),
    h(
      "ol",
      { class: "plan-tasks" },
      tasks.map((task, i) =>
        h("li", { key: task.task_id ?? i }, drawTask(task, `${key}/${task.task_id ?? i}`, context)),
      ),
    ),
  );
}

/** Draw a `task_card` block. */
export function drawTask(task, key, context) {
  const [sign, state] = STATES[task.status] ?? STATES.pending;
  const hasMore = Boolean(task.details || task.output);
  const isOpen = context.local.folds.get(key) ?? false;
  const inside = [
    h(
      "span",
      { class: `task-state task-${task.status ?? "pending"}`, role: "img", "aria-label": say(state) },
      icon(sign),
    ),
    h("span", { class: "task-title" }, words(task.title)),
    hasMore && icon("chevron", { class: isOpen ? "turned" : "" }),
  ];
  const flip = () => context.touch((local) => local.folds.set(key, !isOpen));
  return h(
    "div",
    { class: "task-card" },
    hasMore
      ? h(
          "button",
          { type: "button", class: "task-line", "aria-expanded": String(isOpen), on: { click: flip } },
          inside,
        )
      : h("div", { class: "task-line" }, inside),
    hasMore && isOpen && h("div", { class: "task-more" }, body(task.details, context), body(task.output, context)),
    task.sources?.length > 0 &&
      h(
        "div",
        { class: "task-sources" },
        task.sources.map((one) => h("a", linkProps(one.url), one.text || one.url)),
      ),
  );
}

function words(title) {
  return typeof title === "string" ? title : plainText(title);
}

/** Details are one rich text in a block, and plain words in a stream's chunk. */
function body(part, context) {
  if (!part) return null;
  return typeof part === "string" ? h("div", { class: "mrkdwn" }, part) : richText(part, context.view);
}
