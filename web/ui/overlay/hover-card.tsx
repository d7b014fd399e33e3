import type { ReactNode } from 'react'
import { laterPart } from '../later-part.tsx'
import { LateTrigger } from './late-trigger.tsx'
import { layers } from './later-layers.ts'
import type { Described } from './layers/hover-card.tsx'

export type { Described }

const Layer = laterPart(layers, ({ HoverCard }) => HoverCard)
const closed = { 'data-state': 'closed' }

/**
 * A preview of a link's target, opened after 700 ms of hover or keyboard focus and closed 300 ms after it ends
 * (docs/contracts/screens.md, section 9). It has no controls and nothing that isn't on the linked page, because touch users
 * don't get it.
 */
export function HoverCard({
  content,
  children,
}: {
  /** Rendered only while the card is open. */
  content: () => ReactNode
  /** The link, which gets the description. */
  children: Described
}) {
  return (
    <LateTrigger trigger={children} attributes={closed}>
      {(carrier) => <Layer content={content}>{carrier}</Layer>}
    </LateTrigger>
  )
}
