const columns = 46
const rows = 18
const step = 16
const rowHeight = 44

/** Height of a bar, 9 to 26: two slow waves that drift from row to row. */
function heightAt(column: number, row: number): number {
  const wave = Math.sin(column / 4.3 - row / 2.4) * 0.6 + Math.sin(column / 9.1 + row / 3.7) * 0.8
  const ripple = Math.sin(column * 2.7 + row * 1.9) * 0.22
  return 9 + 17 * Math.min(1, Math.max(0, (wave + ripple) * 0.42 + 0.32))
}

/** Bars that are not quiet: one outage that ended by itself, one slow spell. */
const events: Readonly<Record<string, 'warn' | 'bad'>> = {
  '24/7': 'warn',
  '25/7': 'bad',
  '26/7': 'bad',
  '27/7': 'bad',
  '28/7': 'warn',
  '11/13': 'warn',
  '12/13': 'warn',
}

const bar = (column: number, base: number, height: number): string =>
  `M${column * step} ${(base - height).toFixed(1)}h8v${height.toFixed(1)}h-8z`

/** All bars as a few paths, one per shade: a page must not carry 800 elements for its wallpaper. */
function paths(): { d: string; className: string; opacity?: number }[] {
  const shades = [0.36, 0.5, 0.64, 0.78, 0.92]
  const quiet = shades.map(() => '')
  const loud = { warn: '', bad: '' }
  for (let row = 0; row < rows; row += 1) {
    const base = 34 + row * rowHeight
    for (let column = 0; column < columns; column += 1) {
      const event = events[`${column}/${row}`]
      if (event) {
        loud[event] += bar(column, base, event === 'bad' ? 26 : 19)
        continue
      }
      const height = heightAt(column, row)
      const shade = Math.min(shades.length - 1, Math.floor(((height - 9) / 17) * shades.length))
      quiet[shade] += bar(column, base, height)
    }
  }
  return [
    ...quiet.map((d, index) => ({ d, className: 'fill-m-quiet', opacity: shades[index] ?? 1 })),
    { d: loud.warn, className: 'fill-m-warn' },
    { d: loud.bad, className: 'fill-m-bad' },
  ]
}

const drawn = paths()

/** Wallpaper of the public pages: what the product watches over. `caption` is the sentence at the outage. */
export function UptimeArt({ caption }: { caption: string }) {
  return (
    <svg
      viewBox="0 0 736 826"
      preserveAspectRatio="xMidYMid slice"
      className="absolute inset-0 size-full"
      aria-hidden="true"
    >
      {drawn.map((path) => (
        <path
          key={path.className + String(path.opacity)}
          d={path.d}
          className={path.className}
          opacity={path.opacity}
        />
      ))}
      <g transform="translate(318 282)">
        <rect width="204" height="26" rx="13" className="fill-surface" />
        <rect width="204" height="26" rx="13" className="fill-bad-bg" />
        <path
          d="M12 8.6h5.6l3.2 3.2v5.6l-3.2 3.2H12l-3.2-3.2v-5.6z"
          className="fill-m-bad"
          transform="translate(.6 -1.6)"
        />
        <path
          d="M13 10.6l4.8 4.8M17.8 10.6L13 15.4"
          className="stroke-bad-bg"
          strokeWidth="1.6"
          strokeLinecap="round"
        />
        <text x="29" y="17.5" className="fill-bad text-table font-medium">
          {caption}
        </text>
      </g>
    </svg>
  )
}
