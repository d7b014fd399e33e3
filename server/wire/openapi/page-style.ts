/** Styles of the readable reference, in addition to the common ones: one column in narrow windows. */
export const pageStyle = `
html { scroll-padding-top: 1rem; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--page); }
.skip:focus { left: 1rem; top: 1rem; z-index: 1; }
header { padding: 2rem clamp(1rem, 4vw, 3rem) 1.5rem; border-bottom: 1px solid var(--line); }
header p { margin: 0; color: var(--soft); }
.product { font-size: .875rem; }
h1 { margin: .25rem 0 .5rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 0 0 .75rem; padding-top: 2.5rem; font-size: 1.375rem; line-height: 1.25; }
h3 { margin: 2rem 0 .5rem; font-size: 1.125rem; line-height: 1.3; }
h4 { margin: 1.75rem 0 .25rem; font-size: 1rem; overflow-wrap: anywhere; }
h4 small { font-weight: 400; color: var(--soft); }
ul { margin: 0 0 .75rem; }
p, ul { max-width: 46rem; }
li { margin: .25rem 0; }
.facts { color: var(--soft); font-size: .9375rem; }
em { font-style: normal; font-size: .8125rem; color: var(--soft); }
code { font: .875em/1.5 ui-monospace, monospace; }
p code, li code { overflow-wrap: anywhere; }
pre { margin: 0 0 1rem; padding: .875rem 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line);
  border-radius: .5rem; max-width: 64rem; }
pre.shell { border-inline-start: 4px solid var(--link); }
.scroll { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; min-width: 30rem; max-width: 64rem; font-size: .9375rem; }
caption { text-align: start; color: var(--soft); font-size: .875rem; padding-bottom: .25rem; }
th, td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; font-size: .8125rem; }
tbody th { font-weight: 400; }
td code { overflow-wrap: break-word; }
nav { padding: 1.5rem clamp(1rem, 4vw, 3rem) 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav ul ul { padding-inline-start: 1rem; font-size: .9375rem; }
main { padding: 0 clamp(1rem, 4vw, 3rem) 4rem; min-width: 0; }
@media (min-width: 64rem) {
  .columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; align-self: start; max-height: 100dvh; overflow-y: auto; padding-bottom: 2rem; }
}
@media print { nav, .skip { display: none; } }
`
