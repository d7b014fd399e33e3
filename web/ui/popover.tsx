import { lazy, startTransition, Suspense, useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { ColdTrigger, type TriggerElement } from './cold-trigger.tsx'

/** What a popover is given. */
export interface PopoverProps {
  /** One element that takes a ref (Button, IconButton). */
  trigger: TriggerElement
  label: string
  open: boolean
  onOpenChange: (open: boolean) => void
  align?: 'start' | 'end'
  /** Fetches the code of lazy children together with the panel's. */
  load?: () => Promise<unknown>
  children: ReactNode
}

const loadPanel = () => import('./popover-panel.tsx')
const PopoverPanel = lazy(() => loadPanel().then((module) => ({ default: module.PopoverPanel })))

/** A small panel at its trigger; Escape and a press outside close it, focus goes back to the trigger. */
export function Popover(props: PopoverProps) {
  const { open, onOpenChange, load } = props
  const [warm, setWarm] = useState(false)
  const warmUp = async (): Promise<void> => {
    await Promise.all([loadPanel(), load?.()])
  }
  const show = useEffectEvent(async () => {
    await warmUp()
    // As a transition: the button stays until the panel can be drawn.
    startTransition(() => setWarm(true))
  })
  useEffect(() => {
    if (open) show().catch(reportError)
  }, [open])
  const cold = (
    <ColdTrigger
      trigger={props.trigger}
      popup="dialog"
      expanded={open}
      onNear={() => void warmUp().catch(() => undefined)}
      onOpen={() => onOpenChange(true)}
    />
  )
  return <Suspense fallback={cold}>{warm ? <PopoverPanel {...props} /> : cold}</Suspense>
}
