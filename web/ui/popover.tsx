import { Suspense, type ReactNode } from 'react'
import { fetched, type Code } from '#web/lib/code.ts'
import { useOpenWithCode } from '#web/lib/open-code.ts'
import { ColdTrigger, type TriggerElement } from './cold-trigger.tsx'

/** What a popover is given. */
export interface PopoverProps {
  /** One element that takes a ref (Button, IconButton). */
  trigger: TriggerElement
  label: string
  open: boolean
  onOpenChange: (open: boolean) => void
  align?: 'start' | 'end'
  /** Code of the children that is fetched together with the panel's. */
  needs?: readonly Code<unknown>[]
  children: ReactNode
}

const PopoverPanel = fetched(() => import('./popover-panel.tsx').then((module) => module.PopoverPanel))

/** A small panel at its trigger; Escape and a press outside close it, focus goes back to the trigger. */
export function Popover({ needs = [], ...props }: PopoverProps) {
  const { open, onOpenChange } = props
  const all = [PopoverPanel, ...needs]
  const ready = useOpenWithCode(all, open, onOpenChange)
  const cold = (
    <ColdTrigger trigger={props.trigger} popup="dialog" expanded={open} needs={all} onOpen={() => onOpenChange(true)} />
  )
  return <Suspense fallback={cold}>{ready ? <PopoverPanel {...props} /> : cold}</Suspense>
}
