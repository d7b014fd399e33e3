import { Glyph } from './status.tsx'

/**
 * Wallpaper of the public pages: what the product watches over. The bars are masks in the stylesheet, so they take
 * the theme's colours and cost no script. `caption` is the sentence at the outage.
 */
export function UptimeArt({ caption }: { caption: string }) {
  return (
    <div className="uptime-art" aria-hidden="true">
      <span className="uptime-quiet bg-m-quiet" />
      <span className="uptime-slow bg-m-warn" />
      <span className="uptime-down bg-m-bad" />
      <span className="absolute top-[36%] left-[57.6%] flex h-6 -translate-x-1/2 items-center gap-1.5 rounded-full bg-bad-bg pr-2 pl-1.5 text-table font-medium whitespace-nowrap text-bad drop-shadow-[0_4px_12px_oklch(0.2_0.02_260/0.12)] [--glyph-inner:var(--bad-bg)]">
        <Glyph tone="bad" size={14} />
        {caption}
      </span>
    </div>
  )
}
