import type { ParsedResponse } from './test-context.ts'

/** Outcome of a call. `shown`: a list or count contains the document; `hidden`: it doesn't. */
export type Outcome = 'passed' | 'refused' | 'missing' | 'shown' | 'hidden' | `unexpected ${string}`

/** The outcome of a call about one document. */
export function outcomeOf({ status, text, body }: ParsedResponse): Outcome {
  if (status === 200 || status === 202) return 'passed'
  if (status === 403) return body['exc_type'] === 'PermissionError' ? 'refused' : `unexpected 403 ${text}`
  if (status === 404) return body['exc_type'] === 'DoesNotExistError' ? 'missing' : `unexpected 404 ${text}`
  // Rejected by a rule about states or values, so the permission check had passed.
  if ((status === 417 || status === 409) && body['exc_type'] !== 'LinkValidationError') return 'passed'
  return `unexpected ${status} ${text.slice(0, 300)}`
}

/** The outcome of a list: whether a name is in it. */
export function listed(response: ParsedResponse, name: string): Outcome {
  if (response.status !== 200) return outcomeOf(response)
  return response.text.includes(JSON.stringify(name)) ? 'shown' : 'hidden'
}

/** The outcome of a count that is one if it includes the document. */
export const counted = (response: ParsedResponse): Outcome =>
  response.status === 200 ? (response.body['message'] === 0 ? 'hidden' : 'shown') : outcomeOf(response)

/** The outcome of a permission query. */
export const granted = (response: ParsedResponse, yes: boolean): Outcome =>
  response.status === 200 ? (yes ? 'shown' : 'hidden') : outcomeOf(response)
