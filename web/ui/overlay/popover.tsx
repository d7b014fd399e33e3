import type { ComponentProps } from 'react'
import { laterPart } from '../later-part.tsx'
import { LateTrigger } from './late-trigger.tsx'
import { layers } from './later-layers.ts'

const Layer = laterPart(layers, ({ Popover }) => Popover)
const closed = { 'aria-haspopup': 'dialog', 'aria-expanded': false, 'data-state': 'closed' }

/** A popover at its trigger. Escape and an outside click close it; focus returns to the trigger. Its content can be lazy. */
export function Popover({ trigger, ...props }: ComponentProps<typeof Layer>) {
  return (
    <LateTrigger trigger={trigger} attributes={closed} open={props.open}>
      {(carrier) => <Layer {...props} trigger={carrier} />}
    </LateTrigger>
  )
}
