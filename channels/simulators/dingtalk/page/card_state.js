/** What one person sees of a card: public values, and their own private ones before them. */

const STATES = { 1: "processing", 2: "inputing", 3: "finished", 4: "executing", 5: "failed" };

/**
 * Read a card for a person: `{state, title, status, footer, parts[{name, kind, value, grows}], buttons}`. A value is shown when
 * its condition holds; `grows` marks the variable that is being streamed.
 */
export function seenCard(card, me) {
  const values = valuesFor(card, me);
  const state = STATES[card.flow_status] ?? "finished";
  const shown = variablesOf(card).filter(
    (one) => one.kind !== "hidden" && holds(one.visible_key, values) && values[one.name],
  );
  const named = (name) => shown.find((one) => one.name === name && one.kind === "text") && values[name];
  const parts = shown.filter((one) => !(one.kind === "text" && (one.name === "title" || one.name === "status")));
  const buttons = (card.personal_buttons?.[me] ?? card.buttons ?? []).filter((button) => button.visible);
  return {
    state,
    title: named("title") ?? "",
    status: named("status") ?? "",
    parts: parts.map((one) => ({
      name: one.name,
      kind: one.kind,
      value: values[one.name],
      grows: state === "inputing" && one.name === card.streaming_key,
    })),
    buttons,
  };
}

/** Only variables that the template marks as private have values of a person's own. */
function valuesFor(card, me) {
  const own = card.private?.[me] ?? {};
  const allowed = variablesOf(card).filter((one) => one.private && one.name in own);
  return { ...card.params, ...Object.fromEntries(allowed.map((one) => [one.name, own[one.name]])) };
}

function variablesOf(card) {
  return (
    card.variables ??
    Object.keys(card.params).map((name) => ({ name, kind: name === card.streaming_key ? "markdown" : "text" }))
  );
}

function holds(key, values) {
  return !key || values[key] === "true";
}
