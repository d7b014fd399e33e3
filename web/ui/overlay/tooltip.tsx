import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react'
import { laterPart } from '../later-part.tsx'
import { Carrier, useTrigger, type TriggerLink } from './late-trigger.tsx'
import { layers } from './later-layers.ts'

type Side = 'top' | 'right' | 'bottom' | 'left'

/** The tooltip of the element that somebody was at last. */
interface Near {
  readonly id: string
  readonly link: TriggerLink
  readonly content: ReactNode
  readonly side: Side
}

const Layer = laterPart(layers, ({ Tooltip }) => Tooltip)

let near: Near | null = null
const watchers = new Set<() => void>()

function setNear(to: Near | null): void {
  near = to
  for (const changed of watchers) changed()
}

function watch(changed: () => void): () => void {
  watchers.add(changed)
  return () => watchers.delete(changed)
}

/** Must be around everything with tooltips: they share their delays. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  const shown = useSyncExternalStore(watch, () => near)
  return (
    <>
      {children}
      {shown === null ? null : <Layer {...shown} trigger={<Carrier link={shown.link} />} />}
    </>
  )
}

const closed = { 'data-state': 'closed' }

/** A tooltip on hover and keyboard focus. Must not be the only source of the information. */
export function Tooltip({
  content,
  side = 'bottom',
  children,
}: {
  content: ReactNode
  side?: Side
  /** One element that takes a ref and native props; it gets the description. */
  children: ReactElement
}) {
  const id = useId()
  const latest = useRef({ content, side })
  const [link, element] = useTrigger(children, closed, (own) => setNear({ id, link: own, ...latest.current }))
  useLayoutEffect(() => {
    latest.current = { content, side }
    if (near?.id === id) setNear({ id, link, content, side })
  }, [id, link, content, side])
  useEffect(
    () => () => {
      if (near?.id === id) setNear(null)
    },
    [id],
  )
  return element
}
