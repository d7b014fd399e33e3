import { useEffect, useState, type ReactNode } from 'react'
import { codeOf } from './code.ts'
import { createEventBus, type EventBus, type SocketLike } from './event-bus.ts'
import { tellReconnection } from './refusal.ts'
import { useSecondLine } from './second-line.ts'
import { BusContext } from './use-events.ts'

/** After how long code that did not come is asked for again (ms). Meanwhile everything is polled. */
const againMs = 5000

const socketCode = codeOf(() => import('./socket.ts'))

/**
 * Opens the socket when the first page stands, whose requests and code it would hold up; then everything below hears of
 * live changes.
 */
export function LiveChanges({ children }: { children: ReactNode }) {
  const turn = useSecondLine()
  const [bus, setBus] = useState<EventBus | null>(null)
  useEffect(() => {
    if (!turn) return
    let ended = false
    let end = (): void => undefined
    const open = (): void => {
      socketCode.load().then(
        ({ openSocket }) => {
          if (ended) return
          const socket = openSocket()
          let again = false
          // Not the manager's `reconnect`: that comes before the server lets the session in, which may be over.
          socket.on('connect', () => {
            if (again) tellReconnection()
            again = true
          })
          const opened = createEventBus(socket as unknown as SocketLike, {
            // The page came with the session as it was then.
            since: performance.timeOrigin,
            changed: tellReconnection,
          })
          end = () => {
            opened.close()
            socket.disconnect()
          }
          setBus(opened)
        },
        () => {
          if (ended) return
          const timer = setTimeout(open, againMs)
          end = () => clearTimeout(timer)
        },
      )
    }
    open()
    return () => {
      ended = true
      end()
    }
  }, [turn])
  return <BusContext value={bus}>{children}</BusContext>
}
