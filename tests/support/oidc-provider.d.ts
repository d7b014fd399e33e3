/** The package has no types; these are the parts that tests use. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Interaction {
    readonly uid: string
    readonly prompt: { readonly name: string }
  }

  /** An OpenID Connect provider, certified by the OpenID Foundation. */
  export default class Provider {
    /** Its grants, by client and account. */
    readonly Grant: new (values: { clientId: string; accountId: string }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    /** Makes a provider that keeps everything in memory. */
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    /** A handler for Node's HTTP server. */
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    /** What the person of this browser is asked. */
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    /** Goes on with the person's answer. */
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>
  }
}
