/** The package has no types of its own. What the benchmark uses of it. */
declare module 'oidc-provider' {
  import type { Server } from 'node:http'

  interface Stored {
    save(ttl: number): Promise<string>
  }

  export interface Grant extends Stored {
    addOIDCScope(scope: string): void
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    readonly Session: new (payload: Record<string, unknown>) => Stored
    readonly Grant: {
      new (payload: { accountId: string; clientId: string; jti?: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    on(event: 'server_error', listener: (context: unknown, error: Error) => void): void
    listen(port: number, host: string): Server
  }
}
