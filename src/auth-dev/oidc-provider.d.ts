// The little of oidc-provider that is used here and by tests; the package brings no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Interaction {
    readonly uid: string
    readonly prompt: { readonly name: string }
    readonly params: Readonly<Record<string, unknown>>
    readonly session?: { readonly accountId?: string }
  }

  export interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export interface KnownClient {
    readonly clientId: string
    readonly clientName?: string
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: {
      new (parts: { clientId: string; accountId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    readonly Client: { find(id: string): Promise<KnownClient | undefined> }
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    on(event: string, listener: (...details: unknown[]) => void): void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }

  export const errors: { readonly InvalidTarget: new () => Error }
}
