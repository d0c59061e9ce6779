"""The report as one page that needs nothing else."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any

from npu_lab import language
from npu_lab.extras.migrate._texts import text
from npu_lab.extras.migrate.finding import LEVELS

_STYLE = """
:root{--back:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--old:#ffebe9;
--new:#e6ffec;--card:#f6f8fa;--accent:#0550ae;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--ink:#e6edf3;--soft:#9da7b3;
--line:#3d444d;--old:#3c1618;--new:#12351f;--card:#161b22;--accent:#79b8ff}}
body{margin:0 auto;max-width:76rem;padding:1rem;background:var(--back);
color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header{position:sticky;top:0;background:var(--back);padding:.5rem 0;z-index:1;
border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.5rem 1rem;
align-items:center}
h1{font-size:1.3rem;margin:0;flex-basis:100%}
input[type=search]{flex:1;min-width:12rem;font:inherit;padding:.3rem .5rem;
background:var(--card);color:inherit;border:1px solid var(--line);border-radius:.3rem}
article{border:1px solid var(--line);border-radius:.4rem;margin:.8rem 0;
padding:.5rem .8rem;scroll-margin-top:8rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.head{display:flex;gap:.8rem;flex-wrap:wrap}.place{font-family:monospace}
.level{font-weight:600}.rule{color:var(--soft)}p{margin:.3rem 0}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:.5rem}
@media(max-width:45rem){.pair{grid-template-columns:1fr}}
pre{margin:0;padding:.4rem;overflow-x:auto;white-space:pre-wrap;
overflow-wrap:anywhere;border-radius:.3rem}
pre.old{background:var(--old)}pre.new{background:var(--new)}
[hidden]{display:none}
table{border-collapse:collapse}td,th{padding:.1rem .8rem;text-align:left;
border-bottom:1px solid var(--line)}
"""
_SCRIPT = """
const search=document.querySelector('input[type=search]');
const boxes=[...document.querySelectorAll('input[type=checkbox]')];
const all=[...document.querySelectorAll('article')];
const shown=document.getElementById('shown');
const words=all.map(a=>a.textContent.toLowerCase());
function filter(){const asked=search.value.toLowerCase();
const levels=new Set(boxes.filter(b=>b.checked).map(b=>b.value));let n=0;
all.forEach((a,i)=>{a.hidden=!(levels.has(a.dataset.level)&&words[i].includes(asked));
n+=!a.hidden});shown.textContent=n+' / '+all.length}
search.addEventListener('input',filter);
boxes.forEach(b=>b.addEventListener('change',filter));
document.addEventListener('keydown',e=>{
if(e.ctrlKey||e.metaKey||e.altKey)return;
if(e.key==='/'&&document.activeElement!==search){e.preventDefault();search.focus();return}
if(e.key==='Escape'&&document.activeElement===search){
e.preventDefault();search.blur();return}
if(document.activeElement===search||(e.key!=='j'&&e.key!=='k'))return;
const seen=all.filter(a=>!a.hidden);const at=seen.indexOf(document.activeElement);
const next=seen[e.key==='j'?at+1:Math.max(at-1,0)];if(next)next.focus()});
filter();
"""


def page(report: dict[str, Any]) -> str:
    """The page, in the current language."""
    levels = Counter(found["level"] for found in report["findings"])
    boxes = "".join(
        f'<label><input type="checkbox" value="{level}" checked> '
        f"{text(f'level {level}')} ({levels[level]})</label>"
        for level in LEVELS
    )
    cards = "\n".join(_card(found) for found in report["findings"])
    title = escape(text("title"))
    return f"""<!DOCTYPE html>
<html lang="{"zh-CN" if language.current() == "zh" else "en"}">
<head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>{_STYLE}</style></head>
<body>
<header><h1>{title}</h1>
<input type="search" aria-label="{text("search")}" placeholder="{text("search")}">
{boxes}<span id="shown" role="status"></span></header>
<p>{escape(text("counts", **report["counts"]))}</p>
<p class="rule">{escape(text("keys"))}</p>
<main>
{cards}
</main>
<section><h2>API</h2>{_levels(report["api"])}</section>
<script>{_SCRIPT}</script>
</body></html>
"""


def _card(found: dict[str, Any]) -> str:
    pair = ""
    if found["after"] or found["before"]:
        pair = (
            f'<div class="pair"><pre class="old">{escape(found["before"])}</pre>'
            f'<pre class="new">{escape(found["after"] or found["before"])}</pre></div>'
        )
    level = found["level"]
    return (
        f'<article tabindex="0" data-level="{level}"><div class="head">'
        f'<span class="level">{escape(text(f"level {level}"))}</span>'
        f'<span class="place">{escape(found["place"])}</span>'
        f'<span class="rule">{escape(found["rule"])}</span></div>'
        f"<p>{escape(found['reason'])}</p>{pair}</article>"
    )


def _levels(hits: list[dict[str, str]]) -> str:
    calls = Counter((hit["level"], hit["api"]) for hit in hits)
    rows = "".join(
        f"<tr><td>{escape(api)}</td><td>{escape(level)}</td><td>{count}</td></tr>"
        for (level, api), count in sorted(calls.items())
    )
    heads = "".join(f"<th>{text(name)}</th>" for name in ("api", "level", "how often"))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
