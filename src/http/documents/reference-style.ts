// The CSS of the reference: side navigation and two columns on wide screens, one column and a contents overlay on phones. The
// overlay is shown by :target, so that following any other link closes it.

export const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #566173; --line: #e3e7ed; --page: #fff; --panel: #f6f8fa; --side: #fafbfc;
  --link: #0a5cad; --get: #0a5cad; --post: #1a7040; --delete: #b3261e; --put: #8a5a00; --must: #a4460b; --tint: 9%;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dfe5ee; --soft: #98a4b5; --line: #262e3a; --page: #0e131a; --panel: #161d27; --side: #0b1016;
    --link: #7ab8ff; --get: #7ab8ff; --post: #6fd08c; --delete: #ff938a; --put: #e5b454; --must: #f0a36b; --tint: 16% } }
* { box-sizing: border-box }
html { scroll-padding-top: 24px; -webkit-text-size-adjust: 100% }
body { margin: 0; display: grid; grid-template-columns: 272px minmax(0, 1fr); background: var(--page); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px }
h1 a, h2 a, h3 a, nav a, header a { color: inherit; text-decoration: none }
h2 a:hover, h3 a:hover { text-decoration: underline }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px }
main:focus { outline: none }
.skip { position: fixed; top: -4em; left: 12px; z-index: 4; padding: 8px 14px; background: var(--page); border: 1px solid var(--line); border-radius: 6px }
.skip:focus { top: 12px }
header { display: none }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; overscroll-behavior: contain; padding: 24px 12px 48px 20px;
  background: var(--side); border-right: 1px solid var(--line); font-size: 13.5px; line-height: 1.35 }
nav .title { margin: 0 8px 20px; font-size: 15px; font-weight: 650 }
nav .close { display: none }
nav h2 { margin: 20px 8px 4px; font-size: 12px; font-weight: 650; color: var(--soft) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: flex; gap: 8px; align-items: baseline; padding: 4px 8px; border-radius: 6px }
nav li a:hover { background: color-mix(in srgb, var(--ink) 7%, transparent) }
nav .method { flex: none; width: 34px; padding: 0; background: none; font-size: 10px; text-align: left }
nav .method.delete { letter-spacing: -.04em }

main { padding: 40px 48px 120px; max-width: 1240px; width: 100% }
h1 { margin: 0 0 32px; font-size: 30px; line-height: 1.2; font-weight: 680; letter-spacing: -.015em }
h1 small { margin-left: 6px; font-size: 14px; font-weight: 500; letter-spacing: 0; color: var(--soft) }
h2 { margin: 0 0 12px; font-size: 22px; line-height: 1.3; font-weight: 660; letter-spacing: -.01em }
h3 { margin: 0 0 8px; font-size: 18px; line-height: 1.35; font-weight: 640 }
h4 { margin: 28px 0 6px; font-size: 13.5px; font-weight: 650 }
p, ul { margin: 0 0 14px; max-width: 72ch }
main ul { padding-left: 20px }
main li { margin: 4px 0 }
.lead, .note, .optional, .when, .limits, .needs { color: var(--soft) }
.note, .limits, .needs { font-size: 13.5px }
.needs b { font-weight: 600; color: var(--ink) }
.chapter, .group { padding-bottom: 24px; margin-bottom: 40px; border-bottom: 1px solid var(--line) }
.chapter h3 { margin-top: 20px; font-size: 16px }
.operation, .schema { padding: 32px 0 }
.operation + .operation, .schema + .schema { border-top: 1px solid var(--line) }
.chapter:target > h2, .group:target > h2, .operation:target > h3, .schema:target > h3 { box-shadow: -16px 0 var(--page), -19px 0 var(--link) }

code, pre { font-family: var(--mono); font-size: .88em }
code { overflow-wrap: anywhere }
p code, li code, td code { padding: 1px 4px; border-radius: 4px; background: var(--panel); -webkit-box-decoration-break: clone; box-decoration-break: clone }
a code { color: inherit }
.route { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; max-width: none }
.route code { padding: 0; background: none; font-size: 14px }
.method { padding: 2px 7px; border-radius: 5px; font: 650 11px/1.5 var(--mono); color: var(--hue); background: color-mix(in srgb, var(--hue) var(--tint), transparent); --hue: var(--soft) }
.get { --hue: var(--get) } .post { --hue: var(--post) } .delete { --hue: var(--delete) } .put, .patch { --hue: var(--put) }
figure { margin: 0 0 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); overflow: hidden }
figcaption { padding: 6px 14px; border-bottom: 1px solid var(--line); font-size: 12px; font-weight: 600; color: var(--soft) }
pre { margin: 0; padding: 12px 14px; overflow: auto; max-height: 480px; font-size: 12.5px; line-height: 1.6; tab-size: 2 }
pre:focus-visible { outline-offset: -2px }
pre code { font-size: inherit; overflow-wrap: normal }
pre i { font-style: normal; color: var(--soft) }
.chapter > figure, .schema > figure, .chapter > .pair, .chapter > .responses { max-width: 760px }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(280px, 1fr)); gap: 0 16px }

table { width: 100%; border-collapse: collapse; margin: 0 0 16px; font-size: 14px; line-height: 1.5 }
caption, thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
tr { border-top: 1px solid var(--line) }
tbody tr:last-child { border-bottom: 1px solid var(--line) }
th, td { padding: 7px 16px 7px 0; text-align: left; vertical-align: top; font-weight: 400 }
th:last-child, td:last-child { padding-right: 0 }
td p { margin: 0 } td p + p { margin-top: 2px }
th code { font-weight: 600 } th code span { font-weight: 400; color: var(--soft) }
.fields th { width: 28% } .fields .type { width: 24%; color: var(--soft) }
.required { font-weight: 600; color: var(--must) }
.required, .optional { font-size: 12.5px; white-space: nowrap }
.responses td code, .headers code { padding: 0; background: none } .headers code:first-child { font-weight: 600 }
.responses th { width: 56px; white-space: nowrap } #introduction .responses th { width: 50%; white-space: normal }
.responses th, .responses td { padding-top: 5px; padding-bottom: 5px } .responses td:nth-child(3) { text-align: right }
.frames th, .frames td:nth-child(2) { width: 64px; color: var(--soft) } .frames td:nth-child(3) { width: 44% }
.status { font: 600 12.5px/1.5 var(--mono); color: var(--hue); --hue: var(--soft) }
.s2 { --hue: var(--post) } .s4 { --hue: var(--put) } .s5 { --hue: var(--delete) }
.headers { list-style: none; padding: 0 !important; font-size: 14px }

@media (min-width: 640px) { .chapter > p code, .chapter li code, .told > p code, .headers code { white-space: nowrap } }
@media (min-width: 1200px) {
  .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 440px); column-gap: 48px }
  .operation > h3, .operation > .route { grid-column: 1 / -1 }
  .shown { position: sticky; top: 24px; align-self: start; max-height: calc(100vh - 48px); overflow-y: auto }
}
@media (max-width: 899px) {
  html { scroll-padding-top: 68px }
  body { display: block; padding-top: 48px }
  header { position: fixed; inset: 0 0 auto; z-index: 2; height: 48px; padding: 0 8px 0 16px; display: flex; align-items: center; justify-content: space-between;
    background: var(--page); border-bottom: 1px solid var(--line); font-weight: 650 }
  header span { color: var(--soft); font-weight: 500 }
  header a:last-child, nav .close { padding: 10px; font-size: 14px; font-weight: 550; color: var(--link) }
  nav { display: none; position: fixed; inset: 0; z-index: 3; height: auto; border: 0; font-size: 15px; padding: 0 8px 48px }
  nav:target { display: block }
  nav .title { position: sticky; top: 0; z-index: 1; height: 48px; margin: 0 -8px; padding: 0 8px 0 16px; display: flex; align-items: center; justify-content: space-between; background: var(--side); border-bottom: 1px solid var(--line) }
  nav .close { display: block }
  nav li a { padding: 9px 8px }
  main { padding: 24px 16px 80px }
  h1 { font-size: 26px; margin-bottom: 24px }
  .operation, .schema { padding: 28px 0 }
}
@media (max-width: 639px) {
  .responses th { width: 40px; padding-right: 10px } .responses td:not(:last-child) { padding-right: 6px } .responses td code { font-size: 11.5px }
  .fields tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; padding: 9px 0; gap: 2px 12px }
  .fields th, .fields td { width: auto !important; padding: 0 }
  .fields .type { text-align: right } .fields td:last-child { grid-column: 1 / -1 }
  .frames tr { display: grid; grid-template-columns: 56px minmax(0, 1fr); padding: 9px 0; gap: 2px 8px }
  .frames th, .frames td { width: auto !important; padding: 0 }
  .frames td:nth-child(n + 3) { grid-column: 1 / -1 }
}
@media print { nav, header, .skip { display: none } body { display: block } pre { max-height: none; white-space: pre-wrap } }
`
