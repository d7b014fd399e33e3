import { StatusMark } from '#web/ui/images/status-marks.tsx'

/**
 * Background art of the public pages: an uptime chart. The bars are a mask in the stylesheet, so they take the theme's color
 * and need no script. `caption` labels the outage.
 */
export function UptimeArt({ caption }: { caption: string }) {
  return (
    <div className="uptime-art" aria-hidden="true">
      <span className="uptime-quiet bg-m-quiet" />
      <svg viewBox="0 0 736 826" className="absolute inset-0 size-full">
        <path className="fill-m-warn" d="M384 323h8v19h-8zM448 323h8v19h-8zM176 587h8v19h-8zM192 587h8v19h-8z" />
        <path className="fill-m-bad" d="M400 316h8v26h-8zM416 316h8v26h-8zM432 316h8v26h-8z" />
      </svg>
      <span className="absolute top-[36%] left-[57.6%] flex h-6 -translate-x-1/2 items-center gap-1.5 rounded-full bg-bad-bg pr-2 pl-1.5 text-table font-medium whitespace-nowrap text-bad drop-shadow-[0_4px_12px_oklch(0.2_0.02_260/0.12)] [--glyph-inner:var(--bad-bg)]">
        <StatusMark tone="bad" size={14} />
        {caption}
      </span>
    </div>
  )
}
