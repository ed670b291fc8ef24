/** A chart's data as bars or lines; other kinds are drawn as bars. */

import { h, s } from "./dom.js";

const WIDTH = 520;
const HEIGHT = 240;
const EDGE = { left: 52, right: 12, top: 12, bottom: 34 };
const COLOURS = 6;

/** Draw a `chart` element. */
export function drawChart(element) {
  const chart = readSpec(element.chart_spec ?? {});
  if (!chart.series.length) return h("div", { class: "unsupported" }, chart.title);
  const scale = scaleOf(chart);
  return h(
    "figure",
    { class: "chart" },
    chart.title && h("figcaption", null, chart.title),
    s(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": describe(chart) },
      axes(chart, scale),
      chart.lines ? lines(chart, scale) : bars(chart, scale),
    ),
    chart.series.length > 1 &&
      h(
        "div",
        { class: "legend" },
        chart.series.map((one, i) => h("span", { class: `legend-${i % COLOURS}` }, one.name)),
      ),
  );
}

function readSpec(spec) {
  const data = [spec.data].flat()[0] ?? {};
  const values = Array.isArray(data.values) ? data.values : Array.isArray(spec.data?.values) ? spec.data.values : [];
  const x = [spec.xField ?? spec.categoryField ?? spec.angleField ?? "x"].flat()[0];
  const y = [spec.yField ?? spec.valueField ?? "y"].flat()[0];
  const [name, value] = spec.direction === "horizontal" ? [y, x] : [x, y];
  const labels = [...new Set(values.map((row) => String(row[name] ?? "")))];
  const title = typeof spec.title === "string" ? spec.title : (spec.title?.text ?? "");
  return {
    title,
    labels,
    lines: spec.type === "line" || spec.type === "area",
    series: seriesOf(values, labels, name, value, spec.seriesField),
  };
}

function seriesOf(values, labels, name, value, field) {
  const names = [...new Set(values.map((row) => String(field ? (row[field] ?? "") : "")))];
  return names.map((one) => {
    const mine = new Map(
      values
        .filter((row) => !field || String(row[field] ?? "") === one)
        .map((row) => [String(row[name] ?? ""), Number(row[value])]),
    );
    return { name: one, points: labels.map((label) => (Number.isFinite(mine.get(label)) ? mine.get(label) : null)) };
  });
}

function scaleOf(chart) {
  const all = chart.series.flatMap((one) => one.points).filter((point) => point !== null);
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
  const step = niceStep((high - low || 1) / 4);
  const [from, to] = [Math.floor(low / step) * step, Math.ceil(high / step) * step || step];
  const plot = HEIGHT - EDGE.top - EDGE.bottom;
  const ticks = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);
  const slot = (WIDTH - EDGE.left - EDGE.right) / Math.max(1, chart.labels.length);
  return {
    ticks,
    slot,
    y: (value) => EDGE.top + plot * (1 - (value - from) / (to - from)),
    x: (i) => EDGE.left + slot * (i + 0.5),
  };
}

function niceStep(rough) {
  const unit = 10 ** Math.floor(Math.log10(rough));
  return unit * ([1, 2, 5, 10].find((factor) => factor * unit >= rough) ?? 10);
}

function axes(chart, scale) {
  const every = Math.ceil(chart.labels.length / 8);
  const rows = scale.ticks.map((tick) => [
    s("line", {
      class: tick === 0 ? "axis axis-zero" : "axis",
      x1: EDGE.left,
      x2: WIDTH - EDGE.right,
      y1: scale.y(tick),
      y2: scale.y(tick),
    }),
    s("text", { class: "axis-label", x: EDGE.left - 8, y: scale.y(tick) + 4, "text-anchor": "end" }, short(tick)),
  ]);
  const names = chart.labels.map(
    (label, i) =>
      i % every === 0 &&
      s(
        "text",
        { class: "axis-label", x: scale.x(i), y: HEIGHT - 10, "text-anchor": "middle" },
        clip(label, Math.max(3, Math.floor((scale.slot * every) / 8))),
      ),
  );
  return [rows, names];
}

function bars(chart, scale) {
  const width = Math.min(44, (scale.slot * 0.7) / chart.series.length);
  return chart.series.map((one, n) =>
    one.points.map((point, i) => {
      if (point === null) return null;
      const x = scale.x(i) - (width * chart.series.length) / 2 + n * width;
      const [top, bottom] = [Math.min(scale.y(point), scale.y(0)), Math.max(scale.y(point), scale.y(0))];
      return s(
        "rect",
        {
          class: `bar series-${n % COLOURS}`,
          x,
          y: top,
          width: Math.max(2, width - 3),
          height: Math.max(1, bottom - top),
          rx: 3,
        },
        s("title", null, `${one.name ? `${one.name} · ` : ""}${chart.labels[i]}: ${point}`),
      );
    }),
  );
}

function lines(chart, scale) {
  return chart.series.map((one, n) => {
    const spots = one.points
      .map((point, i) => (point === null ? null : [scale.x(i), scale.y(point), point, chart.labels[i]]))
      .filter(Boolean);
    return [
      s("polyline", { class: `line series-${n % COLOURS}`, points: spots.map(([x, y]) => `${x},${y}`).join(" ") }),
      spots.map(([x, y, point, label]) =>
        s(
          "circle",
          { class: `spot series-${n % COLOURS}`, cx: x, cy: y, r: 3.5 },
          s("title", null, `${label}: ${point}`),
        ),
      ),
    ];
  });
}

function describe(chart) {
  const parts = chart.series.map(
    (one) =>
      `${one.name ? `${one.name}: ` : ""}${one.points.map((point, i) => `${chart.labels[i]} ${point ?? "-"}`).join(", ")}`,
  );
  return `${chart.title} ${parts.join("; ")}`.trim().slice(0, 500);
}

function short(value) {
  return new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

function clip(text, chars) {
  return text.length > chars ? `${text.slice(0, chars - 1)}…` : text;
}
