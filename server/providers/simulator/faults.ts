import type { Behavior, ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

/**
 * What goes wrong with a request. `hang`: nothing happens and no answer comes; `lose_answer`: it is carried out, but the
 * connection closes; `garbage`: a proxy answers instead; `lag`: a list doesn't show new entries yet; `fail_later`: it is
 * accepted, but what it starts fails; `under_way`: another request with its idempotency key goes on (Stripe); `no_addresses`: a zone has no free ones (EC2). The others are errors the vendor answers with, without doing anything.
 */
export type FaultKind =
  | 'hang'
  | 'lose_answer'
  | 'garbage'
  | 'lag'
  | 'fail_later'
  | 'rate_limit'
  | 'server_error'
  | 'quota'
  | 'out_of_stock'
  | 'under_way'
  | 'no_addresses'

export interface Fault {
  readonly kind: FaultKind
  /** Requests it concerns, as the beginning of `POST /servers?…`, and of the body after a space: `POST / Action=…`. Default: all. */
  readonly on?: string
  /** Number of such requests that pass before. Default 0. */
  after?: number
  /** Number of requests it concerns then. Default 1. */
  times?: number
  /** Of a rate limit; without it the vendor answers with its other headers. */
  readonly retryAfterSeconds?: number
}

/** A vendor that faults can be injected into. */
export interface SimulatedVendor {
  /** `effect` is a fault that the vendor itself has to simulate. */
  respond(
    request: ReceivedRequest,
    effect: 'lag' | 'fail_later' | null,
  ): SimulatedResponse | null | Promise<SimulatedResponse | null>
  /** The vendor's own form of an error. */
  errorOf(fault: Fault): SimulatedResponse
}

/** The vendor's behavior with a plan of faults: each request takes the first that concerns it. Faults can be added any time. */
export function withFaults(vendor: SimulatedVendor, faults: Fault[]): Behavior {
  return async (request) => {
    const fault = takeFault(faults, request)
    if (!fault) return vendor.respond(request, null)
    switch (fault.kind) {
      case 'lag':
      case 'fail_later':
        return vendor.respond(request, fault.kind)
      case 'hang':
        return 'hang'
      case 'lose_answer':
        await vendor.respond(request, null)
        return 'close'
      case 'garbage':
        return { status: 200, body: '<html>Please log in</html>', type: 'text/html' }
      default:
        return vendor.errorOf(fault)
    }
  }
}

function takeFault(faults: Fault[], { method, path, body }: ReceivedRequest): Fault | undefined {
  const concerned = faults.filter(({ on }) => on === undefined || `${method} ${path} ${body}`.startsWith(on))
  const fault = concerned.find(({ after = 0 }) => after <= 0)
  for (const other of concerned) other.after = (other.after ?? 0) - 1
  if (!fault) return undefined
  fault.times = (fault.times ?? 1) - 1
  if (fault.times <= 0) faults.splice(faults.indexOf(fault), 1)
  return fault
}
