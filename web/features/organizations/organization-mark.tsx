import { hueStyle } from '#web/lib/browser/hue.ts'
import { initials } from '#web/lib/browser/initials.ts'

/** An organization's mark: initials on a dark tint of its own. */
export function OrganizationMark({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      data-initials={initials(name)}
      style={hueStyle(name)}
      className="grid size-7 shrink-0 place-items-center rounded-[7px] bg-[oklch(0.42_0.08_var(--h))] text-meta leading-none font-semibold tracking-[-0.02em] text-[oklch(0.98_0.01_var(--h))] shadow-[inset_0_0_0_1px_oklch(0_0_0/0.12),var(--lip)] before:content-[attr(data-initials)]"
    />
  )
}
