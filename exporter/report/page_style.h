// The style of every page: light and dark, wide and narrow. One text, so that
// one hash in the Content-Security-Policy allows it and nothing else.
#pragma once

#include <string_view>

namespace rlrun {

// Wide: tables. Narrow: each row is a card whose cells carry their column's
// name.
inline constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--fg:#1c2024;--bg:#fff;--dim:#60646c;
--line:#d9d9e0;--head:#f4f4f6;--link:#0b5cad;--bad:#b3261e;--warn:#8a5a00;
--good:#1a6e3c;--area:#f3c9c5}
@media(prefers-color-scheme:dark){:root{--fg:#edeef0;--bg:#111113;
--dim:#b0b4ba;--line:#363a3f;--head:#1c1d20;--link:#70b8ff;--bad:#ff9b92;
--warn:#f2c063;--good:#7fd8a0;--area:#5a2320}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:80rem;padding:1.25rem;color:var(--fg);
background:var(--bg);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;margin:0}
h2{font-size:1.1rem;margin:1.5rem 0 .5rem}
p{margin:.25rem 0;max-width:46rem}
a{color:var(--link)}
nav{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;margin:.75rem 0}
.dim{color:var(--dim)}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;
border-bottom:1px solid var(--line);overflow-wrap:break-word}
th{background:var(--head);font-weight:600;white-space:nowrap}
td.run{min-width:8rem;overflow-wrap:anywhere}
td.n,th.n{text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
td.path{font:.85rem/1.6 ui-monospace,monospace;color:var(--dim)}
.critical,.failed{color:var(--bad);font-weight:600}
.at_risk,.warning,.stalled{color:var(--warn);font-weight:600}
.healthy,.finished{color:var(--good)}
.verdict{font-size:1.1rem;margin:.5rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}
dt{color:var(--dim)}
dd{margin:0;overflow-wrap:anywhere}
code,pre{font:.85rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:var(--head);padding:.5rem .75rem;margin:.5rem 0}
section.finding{border-left:.25rem solid var(--line);padding:.1rem .75rem;
margin:.75rem 0}
section.finding h3{font-size:1rem;margin:.2rem 0}
.curves{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr))}
figure{margin:0;min-width:0}
figcaption{overflow-wrap:anywhere}
figure p{font-size:.85rem}
svg{display:block;width:100%;height:auto;border:1px solid var(--line)}
.line{fill:none;stroke:var(--link);stroke-width:1.5}
.bound{stroke:var(--bad);stroke-width:1;stroke-dasharray:4 3}
.active{fill:var(--area)}
.point{fill:transparent}
.dot{fill:var(--link)}
@media(max-width:40rem){
dl{grid-template-columns:1fr;gap:0}
dd{margin:0 0 .4rem}
thead{display:none}
table,tbody,tr,td{display:block}
tr{border:1px solid var(--line);border-radius:.4rem;margin:0 0 .75rem;
padding:.3rem 0}
td,td.n,td.run{border:0;overflow-wrap:anywhere;padding:.15rem .75rem;text-align:left;white-space:normal;
min-width:0}
td::before{content:attr(data-label) ": ";color:var(--dim);
font-family:system-ui,sans-serif}
}
)";

}  // namespace rlrun
