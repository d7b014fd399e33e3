import * as Slot from 'radix-ui/slot'
import {
  useImperativeHandle,
  useLayoutEffect,
  useState,
  type ReactElement,
  type ReactNode,
  type Ref,
  type SyntheticEvent,
} from 'react'

/** All that a trigger of the library listens to. */
const events = [
  'onPointerEnter',
  'onPointerMove',
  'onPointerLeave',
  'onPointerDown',
  'onTouchStart',
  'onClick',
  'onKeyDown',
  'onFocus',
  'onBlur',
] as const

type Handlers = Partial<Record<(typeof events)[number], (event: SyntheticEvent) => void>>

/** Of what happened before the library was here. */
const mostKept = 8

/** Between an element of the page and the library, which comes later: the element's events, and what the library sets on it. */
export interface TriggerLink {
  readonly events: Handlers
  readonly attach: (element: HTMLElement | null) => void
  readonly element: () => HTMLElement | null
  /** Takes what the library gives its trigger. What happened before is made up for. */
  readonly carry: (props: Record<string, unknown>) => void
  readonly drop: () => void
}

/** `onNear`: something happens at the element, and the library is not here. */
function createTriggerLink(onNear: () => void, setAttributes: (attributes: object) => void): TriggerLink {
  let element: HTMLElement | null = null
  let handlers: Handlers | null = null
  let missed: (() => void)[] = []
  let written = ''
  const passed = events.map((name) => [
    name,
    (event: SyntheticEvent) => {
      if (handlers !== null) return handlers[name]?.(event)
      missed = [...missed.slice(1 - mostKept), () => handlers?.[name]?.(event)]
      onNear()
    },
  ])
  return {
    events: Object.fromEntries(passed) as Handlers,
    attach: (to) => (element = to),
    element: () => element,
    carry: (props) => {
      const isHandler = (name: string): boolean => name.startsWith('on')
      handlers = Object.fromEntries(Object.entries(props).filter(([name]) => isHandler(name)))
      const attributes = Object.fromEntries(Object.entries(props).filter(([name]) => !isHandler(name)))
      if (JSON.stringify(attributes) !== written) setAttributes(attributes)
      written = JSON.stringify(attributes)
      const late = missed
      missed = []
      for (const happened of late) happened()
    },
    drop: () => (handlers = null),
  }
}

/**
 * An element that opens a layer: the same one before and after the library is here, so that it keeps focus and pointer.
 * `attributes` are what the library gives it while the layer is closed.
 */
export function useTrigger(
  trigger: ReactElement,
  attributes: object,
  onNear: (link: TriggerLink) => void,
): [link: TriggerLink, element: ReactElement] {
  const [given, setGiven] = useState(attributes)
  const [link] = useState(() => {
    const made: TriggerLink = createTriggerLink(() => onNear(made), setGiven)
    return made
  })
  const { attach, events: passed } = link
  const element = (
    <Slot.Root ref={attach} {...given} {...passed}>
      {trigger}
    </Slot.Root>
  )
  return [link, element]
}

interface CarrierProps {
  link: TriggerLink
  ref?: Ref<HTMLElement | null>
  'aria-describedby'?: string | undefined
}

/** What the library takes for its trigger. */
export function Carrier({ link, ref, ...props }: CarrierProps) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => link.element(), [link])
  useLayoutEffect(() => link.carry(props))
  useLayoutEffect(() => link.drop, [link])
  return null
}

/** An element that opens a layer, whose code is loaded when somebody comes near it. */
export function LateTrigger({
  trigger,
  attributes,
  open = false,
  children,
}: {
  /** One element that takes a ref and native props. */
  trigger: ReactElement
  /** What the library gives it while the layer is closed. */
  attributes: object
  open?: boolean
  /** The layer with its trigger, which shows nothing itself. */
  children: (trigger: ReactElement<CarrierProps>) => ReactNode
}) {
  const [isNear, setNear] = useState(open)
  if (open && !isNear) setNear(true)
  const [link, element] = useTrigger(trigger, attributes, () => setNear(true))
  return (
    <>
      {element}
      {isNear ? children(<Carrier link={link} />) : null}
    </>
  )
}
