// The style of every page: light and dark, wide and narrow. One text, so that
// one hash in the Content-Security-Policy allows it and nothing else.
#pragma once

#include <string_view>

namespace rlrun {

// Wide: tables and two columns. Narrow: one column; each row of a table is a
// card whose cells carry their column's name.
inline constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--fg:#1b1f24;--bg:#f5f6f8;--card:#fff;
--dim:#555d67;--line:#d9dee4;--soft:#eef0f3;--link:#0a58a8;--bad:#b42318;
--warn:#855000;--good:#17683b;--badbg:#fdeceb;--warnbg:#fcf2de;
--goodbg:#e7f4ec;--area:#f6d3cf}
@media(prefers-color-scheme:dark){:root{--fg:#e8eaed;--bg:#0e1013;
--card:#16191e;--dim:#a4acb6;--line:#2e343c;--soft:#21262d;--link:#7cb7ff;
--bad:#ff9d94;--warn:#f0c274;--good:#7fd6a1;--badbg:#371b19;--warnbg:#33280f;
--goodbg:#12301f;--area:#4a2421}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:86rem;padding:.75rem 1.25rem 2rem;color:var(--fg);
background:var(--bg);font:15px/1.5 system-ui,"DejaVu Sans",sans-serif}
h1{font-size:1.5rem;line-height:1.25;margin:.75rem 0;overflow-wrap:anywhere}
h1 .dim{font-weight:400}
h2{font-size:1.1rem;margin:1.5rem 0 .6rem}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
p{margin:.35rem 0;max-width:52rem;overflow-wrap:anywhere}
a{color:var(--link)}
a:focus-visible,summary:focus-visible{outline:3px solid var(--link);
outline-offset:2px;border-radius:.2rem}
nav{display:flex;flex-wrap:wrap;gap:.35rem 1.25rem}
header.site{padding-bottom:.6rem;border-bottom:1px solid var(--line)}
footer{margin-top:2rem;padding-top:.6rem;border-top:1px solid var(--line)}
.dim,footer{color:var(--dim)}
.small,figure p,footer{font-size:.87rem}
code,pre{font:.87em/1.5 ui-monospace,"DejaVu Sans Mono",monospace;
overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:var(--soft);border-radius:.35rem;
padding:.5rem .75rem;margin:.5rem 0}
.pill{display:inline-block;border-radius:1rem;padding:0 .65rem;
font-size:.87rem;font-weight:600;line-height:1.6;background:var(--soft);
color:var(--fg);white-space:nowrap}
.pill.critical,.pill.failed,.pill.stop{background:var(--badbg);color:var(--bad)}
.pill.at_risk,.pill.warning,.pill.stalled,.pill.lost,.pill.interrupted,
.pill.wait{background:var(--warnbg);color:var(--warn)}
.pill.healthy,.pill.finished,.pill.continue{background:var(--goodbg);
color:var(--good)}
.pills{display:flex;flex-wrap:wrap;gap:.4rem;margin:0}
.card,.verdict,figure,.tiles>div,.table{background:var(--card);
border:1px solid var(--line);border-radius:.5rem}
.verdict{border-left:.4rem solid var(--good);padding:.75rem 1rem}
.verdict.critical{border-left-color:var(--bad)}
.verdict.at_risk{border-left-color:var(--warn)}
.verdict.over{border-left-color:var(--dim)}
.verdict .headline{font-size:1.15rem;margin:.5rem 0 .25rem;max-width:none}
.tiles{display:grid;gap:.6rem;margin:.75rem 0 0;
grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr))}
.tiles>div{padding:.45rem .75rem}
.tiles dt{color:var(--dim);font-size:.87rem}
.tiles dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums;
overflow-wrap:anywhere}
.tiles dd span{font-weight:400;color:var(--dim)}
.two{display:grid;gap:0 1.5rem;grid-template-columns:minmax(0,3fr) minmax(0,2fr);
align-items:start}
.two>*,.two section{min-width:0}
.card{padding:.7rem 1rem;margin:0 0 .75rem}
.finding{border-left:.3rem solid var(--line)}
.finding.critical{border-left-color:var(--bad)}
.finding.warning{border-left-color:var(--warn)}
.finding .head{display:flex;flex-wrap:wrap;gap:.2rem .6rem;align-items:center}
ol{margin:0;padding-left:1.4rem}
li{margin:.3rem 0;overflow-wrap:anywhere}
dl.lines{margin:0}
dl.lines>div{break-inside:avoid;padding-bottom:.5rem}
dl.lines dt{color:var(--dim);font-size:.87rem}
.one dl.lines{columns:24rem;column-gap:2.5rem}
dl.lines dd{margin:0;overflow-wrap:anywhere}
details{margin:.5rem 0 0}
summary{cursor:pointer;color:var(--link)}
details h4{font-size:.95rem;margin:.6rem 0 .2rem}
ul{padding-left:1.2rem}
ul.names{columns:18rem;list-style:none;padding:0}
.kv{display:flex;gap:.2rem 1rem;justify-content:space-between}
.kv code{min-width:0}
.kv b{white-space:nowrap;font-variant-numeric:tabular-nums}
.kv.wide{flex-wrap:wrap}
.kv.wide b{white-space:normal}
.table{overflow:hidden}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem;
border-bottom:1px solid var(--line);overflow-wrap:anywhere}
tbody tr:last-child>*{border-bottom:0}
thead th{background:var(--soft);font-size:.87rem;font-weight:600;
white-space:nowrap;overflow-wrap:normal}
tbody th{font-weight:600}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.s{white-space:nowrap}
td.f{min-width:13rem}
.evidence{margin:.5rem 0;border:1px solid var(--line);border-radius:.35rem;
overflow:hidden}
.evidence th,.evidence td{padding:.2rem .6rem}
.evidence tbody th{font-weight:400}
.out{color:var(--warn);font-weight:600}
.bar{display:block;width:100%;height:.35rem;margin:.3rem 0 .15rem;
border-radius:.2rem;background:var(--soft)}
.n .bar{width:7rem;margin-left:auto}
.bar rect{fill:var(--link)}
.curves{display:grid;gap:.75rem;
grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr))}
figure{margin:0;min-width:0;padding:.6rem .75rem}
figure.hit{border-color:var(--bad)}
figcaption{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 1rem}
figcaption code,figcaption .note{color:var(--dim);grid-column:1/-1}
figure svg{display:block;width:100%;height:auto;margin:.25rem 0}
figure p{color:var(--dim);margin:0}
.axis{stroke:var(--line);stroke-width:1}
.tick{fill:var(--dim);font:11px system-ui,"DejaVu Sans",sans-serif}
.tick.bad{fill:var(--bad)}
.line{fill:none;stroke:var(--link);stroke-width:1.5;stroke-linejoin:round}
.bound{stroke:var(--bad);stroke-width:1;stroke-dasharray:4 3}
.active{fill:var(--area)}
.point{fill:transparent}
.dot{fill:var(--link)}
.rest{fill:none;stroke:var(--dim);pointer-events:all}
.nan{fill:var(--bad)}
figcaption .at{text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
.stack{display:block;width:100%;height:1.75rem;border-radius:.35rem}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.25rem;list-style:none;
padding:0;margin:.5rem 0}
.legend svg{width:.8rem;height:.8rem;margin-right:.4rem;vertical-align:-.05rem}
.c0{fill:#2e7d4f}.c1{fill:#c77700}.c2{fill:#b42318}.c3{fill:#3b6fb6}
.c4{fill:#7a5195}.c5{fill:#5d6b78}.c6{fill:#a8577e}.c7{fill:#178a94}
@media(max-width:66rem){
.two{grid-template-columns:minmax(0,1fr)}
.rows thead{display:none}
.rows,.rows tbody,.rows th,.rows td{display:block}
.rows tr{display:grid;gap:0 1rem;border-bottom:1px solid var(--line);
grid-template-columns:repeat(auto-fill,minmax(13.5rem,1fr));padding:.5rem .75rem}
.rows th,.rows td.f,.rows td.k{grid-column:1/-1}
.rows tr:last-child{border:0}
.rows th,.rows td,.rows td.n,.rows td.s{border:0;padding:.1rem 0;
text-align:left;white-space:normal}
.rows td{display:grid;grid-template-columns:6rem minmax(0,1fr)}
.rows td.f{min-width:0}
.rows td::before{content:attr(data-label);color:var(--dim)}
.n .bar{width:6.5rem;margin-left:0}
}
@media(max-width:44rem){
body{padding:.6rem .75rem 1.5rem}
h1{font-size:1.3rem}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}
}
@media(max-width:32rem){
.evidence thead{display:none}
.evidence table,.evidence tbody{display:block}
.evidence tr{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.3rem .6rem;
border-bottom:1px solid var(--line)}
.evidence tr:last-child{border:0}
.evidence tbody th{flex:1 0 100%;max-width:100%}
.evidence tr>*{border:0;padding:0}
.evidence .n{white-space:normal;text-align:left}
.evidence td::before{content:attr(data-label) " ";color:var(--dim)}
}
)";

}  // namespace rlrun
