/** Simulated vendors with modes that hold until they are changed. */
import {
  serveVendor,
  type Behavior,
  type SimulatedResponse,
  type VendorServer,
} from '#server/providers/simulator/simulated-vendor.ts'
import type { Judge } from './openapi-judge.ts'

/** How a vendor behaves for the next requests. */
export type SimulatorMode = 'well' | 'busy' | 'broken' | 'silent' | 'garbage' | 'huge'

/** A running simulator. */
export interface Simulator extends VendorServer {
  mode: SimulatorMode
}

/** Starts a vendor. `judge` compares requests and responses with its description. */
export async function startVendor(
  behavior: Behavior,
  options: { judge?: Judge; busy?: SimulatedResponse; port?: number } = {},
): Promise<Simulator> {
  let mode: SimulatorMode = 'well'
  const inMode: Behavior = (request) => {
    switch (mode) {
      case 'well':
        return behavior(request)
      case 'busy':
        return options.busy ?? { status: 429, body: {} }
      case 'broken':
        return { status: 503, body: 'upstream connect error', type: 'text/plain' }
      case 'silent':
        return 'hang'
      case 'garbage':
        return { status: 200, body: '<html>Please log in</html>', type: 'text/html' }
      case 'huge':
        return { status: 200, body: 'x'.repeat(2_000_000), type: 'text/plain' }
    }
  }
  const server = await serveVendor(inMode, options)
  return {
    ...server,
    get mode() {
      return mode
    },
    set mode(next) {
      mode = next
    },
  }
}
