// Generated from docs/openapi.json by scripts/generate-api-types.ts. Do not edit.

export type paths = {
  '/.well-known/jwks': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Signing keys */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Record<string, unknown> } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/.well-known/jwks.json': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Signing keys */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Record<string, unknown> } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/.well-known/oauth-authorization-server': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Server metadata */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Record<string, unknown> } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/.well-known/openid-configuration': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Server metadata */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Record<string, unknown> } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** Delete your account */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** An email address; upper and lower case are not distinguished. */ email: string
            currentPassword?: string
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; ended: components['schemas']['Ended'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/app-passwords': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** List your app passwords */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              appPasswords: components['schemas']['AppPassword'][]
              sites: components['schemas']['BasicSite'][]
            }
          }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Make an app password */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': { name: string; client_id: string; /** Epoch milliseconds. */ expiresAt?: number }
        }
      }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              appPassword: components['schemas']['AppPassword']
              /** Shown only in this answer. */ password: string
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/app-passwords/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** End an app password */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/apps': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Applications that you may use */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { apps: components['schemas']['UsableApp'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/email': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Change your email address */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** An email address; upper and lower case are not distinguished. */ email: string
            currentPassword?: string
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/email/confirm': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Confirm a new email address with the link that was sent to it */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; user: components['schemas']['User'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/email/revert': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Restore the address that an account had before a change */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string } } }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/oauth/grants': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Applications with access to your account */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { grants: components['schemas']['OAuthGrant'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/oauth/grants/{clientId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** Revoke an application's access to your account */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/password': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Change your password */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            currentPassword: string
            /** At least 8 characters, at most 128. One that is easy to guess is refused with 400 `weak_password`; `reason` says why. */ newPassword: string
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/profile': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Your profile */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Profile'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: /** Change your profile */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            displayName?: string | null
            given_name?: string | null
            family_name?: string | null
            preferredUsername?: string
            /** The language of mails. */ locale?: 'en' | 'de'
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['User'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    trace?: never
  }
  '/api/account/profile/avatar': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** An avatar: your own, or that of the user named */ {
      parameters: { query?: { user?: string; v?: string }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'image/webp': string } }
        304: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'image/webp': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'image/webp': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'image/webp': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'image/webp': components['schemas']['Error'] } }
      }
    }
    put: /** Set your avatar */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; user: components['schemas']['User'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        413: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    post?: never
    delete: /** Remove your avatar */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/account/sign-in-methods': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** How you can prove that the account is yours */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': { hasPassword: boolean } } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/audit': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The audit trail */ {
      parameters: {
        query?: {
          limit?: number
          cursor?: string
          action?: string
          actor?: string
          target?: string
          about?: string
          outcome?: 'success' | 'refused'
          from?: number
          to?: number
          format?: 'json' | 'csv' | 'jsonl'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              events: components['schemas']['AuditEntry'][]
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
            }
            'text/csv': string
            'application/jsonl': string
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/bootstrap': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Become the first administrator */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': { secret: string } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; user: components['schemas']['User'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/overview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Figures about the service */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Overview'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/permissions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The permission catalogue */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { permissions: components['schemas']['Permission'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/roles': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** List roles */ {
      parameters: { query?: { limit?: number; cursor?: string }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              roles: components['schemas']['Role'][]
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Create a role */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            name: string
            description?: string
            /** UNIX accounts that SSH certificates of people with this role open. */ principals?: string[]
            ssh?: components['schemas']['SshRules'] | null
            permissions?: (
              | 'users:read'
              | 'users:write'
              | 'users:delete'
              | 'users:lifecycle'
              | 'roles:read'
              | 'roles:write'
              | 'roles:assign'
              | 'permissions:read'
              | 'oauth_clients:read'
              | 'oauth_clients:write'
              | 'ssh:keys:manage'
              | 'ssh:cert:issue'
              | 'ssh:cert:list'
              | 'ssh:cert:revoke'
              | 'ssh:hosts:manage'
              | 'audit:read'
              | 'settings:manage'
            )[]
            /** Values for claims of applications. At most 64, and 16 KB of JSON. */ attributes?: Record<
              string,
              string | number | boolean | string[]
            >
          }
        }
      }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: { 'application/json': { role: components['schemas']['Role'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/roles/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** A role */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { role: components['schemas']['Role'] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete: /** Delete a role */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch: /** Change a role */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            name?: string
            description?: string
            /** UNIX accounts that SSH certificates of people with this role open. */ principals?: string[]
            /** Values for claims of applications. At most 64, and 16 KB of JSON. */ attributes?: Record<
              string,
              string | number | boolean | string[]
            >
            ssh?: components['schemas']['SshRules'] | null
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { role: components['schemas']['Role'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    trace?: never
  }
  '/api/admin/roles/{id}/permissions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Permissions of a role */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { permissions: components['schemas']['Permission'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Grant a permission to a role */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody: { content: { 'application/json': { permissionId: string } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { permissions: components['schemas']['Permission'][] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/roles/{id}/permissions/{permissionId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** Revoke a permission from a role */ {
      parameters: { query?: never; header?: never; path: { id: string; permissionId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/settings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The settings */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              settings: components['schemas']['Settings']
              /** Settings that the environment sets: they can’t be changed here. */ fixed: string[]
            }
          }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: /** Change settings */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** Of the service, in mails and in the list of passkeys. */ name?: string
            accentColor?: string | null
            registration?: 'open' | 'invite'
            /** Lower case. While it is not empty, people can register and change their address only with these domains (403 email_domain), and accounts that registered themselves get no code and no certificate before their address is confirmed (403 email_unconfirmed). */ allowedEmailDomains?: string[]
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              settings: components['schemas']['Settings']
              /** Settings that the environment sets: they can’t be changed here. */ fixed: string[]
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    trace?: never
  }
  '/api/admin/settings/logo': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put: /** Set the logo */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              settings: components['schemas']['Settings']
              /** Settings that the environment sets: they can’t be changed here. */ fixed: string[]
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        413: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    post?: never
    delete: /** Remove the logo */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/settings/mail-test': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Send yourself a mail */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': { sent: boolean; answer: string } } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/usernames/{name}/release': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Free a username that is held back */ {
      parameters: { query?: never; header?: never; path: { name: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** List users */ {
      parameters: {
        query?: {
          limit?: number
          cursor?: string
          q?: string
          sort?: 'email' | '-email' | 'createdAt' | '-createdAt' | 'lastLoginAt' | '-lastLoginAt'
          status?: 'active' | 'disabled' | 'invited' | 'scheduled'
          role?: string
          format?: 'json' | 'csv'
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              users: components['schemas']['Person'][]
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
              /** How many match, counted up to 10,000. */ total: number
              /** There may be more than total: it is counted up to 10,000, and where each user has to be examined, only the newest 10,000 are for q and the newest 100,000 for other filters. */ totalIsMore: boolean
            }
            'text/csv': string
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Create a user */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** An email address; upper and lower case are not distinguished. */ email: string
            /** At least 8 characters, at most 128. One that is easy to guess is refused with 400 `weak_password`; `reason` says why. */ password?: string
            displayName?: string | null
            given_name?: string | null
            family_name?: string | null
            preferredUsername?: string
            email_verified?: boolean
            /** Values for claims of applications. At most 64, and 16 KB of JSON. */ attributes?: Record<
              string,
              string | number | boolean | string[]
            >
            roleIds?: string[]
          }
        }
      }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: { 'application/json': { user: components['schemas']['Person'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/batch': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Disable, enable or invite many users, or give them a role */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            ids: string[]
            action: 'disable' | 'enable' | 'assign_role' | 'invite'
            roleId?: string
            executeAt?: number
            reason?: string
            dryRun?: boolean
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              results: {
                id: string
                outcome: 'done' | 'unchanged' | 'refused'
                /** Why it was refused. */ error?: string
                /** A stable name for a program. Absent only when a sign-in is refused because the account is disabled. */ code?:
                  | 'invalid_input'
                  | 'malformed_body'
                  | 'wrong_password'
                  | 'invalid_token'
                  | 'weak_password'
                  | 'reserved_scope'
                  | 'unauthenticated'
                  | 'wrong_credentials'
                  | 'passkey_refused'
                  | 'forbidden'
                  | 'not_allowed'
                  | 'own_access'
                  | 'foreign_origin'
                  | 'account_disabled'
                  | 'registration_closed'
                  | 'wrong_secret'
                  | 'fresh_sign_in_needed'
                  | 'email_domain'
                  | 'email_unconfirmed'
                  | 'proxy_not_trusted'
                  | 'https_required'
                  | 'address_refused'
                  | 'unknown_host'
                  | 'application_off'
                  | 'sign_in_failed'
                  | 'not_found'
                  | 'method_not_allowed'
                  | 'request_timeout'
                  | 'conflict'
                  | 'other_user'
                  | 'host_taken'
                  | 'username_held'
                  | 'body_too_large'
                  | 'uri_too_long'
                  | 'unsupported_media_type'
                  | 'too_many_requests'
                  | 'too_many_changes'
                  | 'headers_too_large'
                  | 'internal_error'
                  | 'unavailable'
                  | 'invalid_request'
                  | 'invalid_client'
                  | 'invalid_grant'
                  | 'unauthorized_client'
                  | 'unsupported_grant_type'
                  | 'invalid_scope'
                  | 'invalid_access_token'
                  | 'insufficient_scope'
                  | 'authorization_pending'
                  | 'slow_down'
                  | 'access_denied'
                  | 'expired_token'
              }[]
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/import': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Invite many people */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            rows: { email: string; displayName?: string; preferredUsername?: string; roles?: string[] }[]
            dryRun?: boolean
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              results: {
                email: string
                outcome: 'done' | 'unchanged' | 'refused'
                /** Why it was refused. */ error?: string
                /** A stable name for a program. Absent only when a sign-in is refused because the account is disabled. */ code?:
                  | 'invalid_input'
                  | 'malformed_body'
                  | 'wrong_password'
                  | 'invalid_token'
                  | 'weak_password'
                  | 'reserved_scope'
                  | 'unauthenticated'
                  | 'wrong_credentials'
                  | 'passkey_refused'
                  | 'forbidden'
                  | 'not_allowed'
                  | 'own_access'
                  | 'foreign_origin'
                  | 'account_disabled'
                  | 'registration_closed'
                  | 'wrong_secret'
                  | 'fresh_sign_in_needed'
                  | 'email_domain'
                  | 'email_unconfirmed'
                  | 'proxy_not_trusted'
                  | 'https_required'
                  | 'address_refused'
                  | 'unknown_host'
                  | 'application_off'
                  | 'sign_in_failed'
                  | 'not_found'
                  | 'method_not_allowed'
                  | 'request_timeout'
                  | 'conflict'
                  | 'other_user'
                  | 'host_taken'
                  | 'username_held'
                  | 'body_too_large'
                  | 'uri_too_long'
                  | 'unsupported_media_type'
                  | 'too_many_requests'
                  | 'too_many_changes'
                  | 'headers_too_large'
                  | 'internal_error'
                  | 'unavailable'
                  | 'invalid_request'
                  | 'invalid_client'
                  | 'invalid_grant'
                  | 'unauthorized_client'
                  | 'unsupported_grant_type'
                  | 'invalid_scope'
                  | 'invalid_access_token'
                  | 'insufficient_scope'
                  | 'authorization_pending'
                  | 'slow_down'
                  | 'access_denied'
                  | 'expired_token'
              }[]
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        413: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** A user */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              user: components['schemas']['Person']
              /** The permissions of all roles of this user. */ permissions: string[]
              hasPassword: boolean
              passkeys: number
              sessions: number
            }
          }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete: /** Delete a user */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; ended: components['schemas']['Ended'] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch: /** Change a user */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** An email address; upper and lower case are not distinguished. */ email?: string
            displayName?: string | null
            given_name?: string | null
            family_name?: string | null
            preferredUsername?: string
            email_verified?: boolean
            /** Values for claims of applications. At most 64, and 16 KB of JSON. */ attributes?: Record<
              string,
              string | number | boolean | string[]
            >
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { user: components['schemas']['Person'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    trace?: never
  }
  '/api/admin/users/{userId}/access': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** What gives a user access */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Access'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/app-passwords/{appPasswordId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** End an app password of a user */ {
      parameters: { query?: never; header?: never; path: { userId: string; appPasswordId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/apps': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Applications that a user may use, and why */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { apps: components['schemas']['UserApp'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/invitation': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Send the invitation again */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/lifecycle': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Planned and past actions of an account */ {
      parameters: {
        query?: { limit?: number; cursor?: string }
        header?: never
        path: { userId: string }
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              actions: components['schemas']['LifecycleAction'][]
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Disable or enable an account */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            action: 'enable' | 'disable'
            executeAt?: number
            /** For administrators; never shown to the person. */ reason?: string
            /** SSH certificates that are issued while a disable is pending end with it at the latest, or after 60 seconds. With true they are valid for as long as requested, so that nobody can tell. */ discreet?: boolean
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json':
              | {
                  success: true
                  scheduled: false
                  user: components['schemas']['User']
                  ended: components['schemas']['Ended']
                }
              | { scheduled: true; lifecycleActionId: string; /** Epoch milliseconds. */ executeAt: number }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/lifecycle/preview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** What an action would end */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody: { content: { 'application/json': { action: 'enable' | 'disable' } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': { ends: components['schemas']['EndedNames'] | components['schemas']['EndedCounts'] }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/lifecycle/{actionId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** Cancel a planned action */ {
      parameters: { query?: never; header?: never; path: { userId: string; actionId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; action: components['schemas']['LifecycleAction'] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/passkeys/{passkeyId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** Remove a passkey of a user */ {
      parameters: { query?: never; header?: never; path: { userId: string; passkeyId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/password-reset': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Send a user a link to set a new password */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/roles': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Roles of a user */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { roles: components['schemas']['Role'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Give a role to a user */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody: { content: { 'application/json': { roleId: string } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; roles: components['schemas']['Role'][] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/roles/{roleId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** Take a role from a user */ {
      parameters: { query?: never; header?: never; path: { userId: string; roleId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; roles: components['schemas']['Role'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/sessions/{sessionId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** End one session of a user */ {
      parameters: { query?: never; header?: never; path: { userId: string; sessionId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/admin/users/{userId}/sign-out': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** End all sessions and tokens of a user */ {
      parameters: { query?: never; header?: never; path: { userId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/invitation': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Who invites, and which address */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { email: string; invitedBy: string | null } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/invitation/accept': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Accept an invitation and sign in */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json':
            | {
                token: string
                displayName?: string
                /** At least 8 characters, at most 128. One that is easy to guess is refused with 400 `weak_password`; `reason` says why. */ password: string
              }
            | {
                token: string
                displayName?: string
                response: components['schemas']['RegistrationResponseJSON']
                /** One line without < and >. */ name?: string
              }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { user: components['schemas']['User'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        413: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/invitation/passkey-options': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Begin to register the passkey of an invited person */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['PublicKeyCredentialCreationOptionsJSON'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/login': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Sign in with email and password */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** An email address; upper and lower case are not distinguished. */ email: string
            password: string
            rememberMe?: boolean
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { user: components['schemas']['User'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/logout': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** End this session */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/me': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Who is signed in, and what they may do */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              user: components['schemas']['User']
              session: components['schemas']['Session']
              roles: { id: string; name: string }[]
              permissions: string[]
            }
          }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/password-reset': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Request a mail to set a new password */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': { /** An email address; upper and lower case are not distinguished. */ email: string }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/password-reset/access': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** What a reset link removes, and what is left after an address was taken back */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string } } }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['ResetAccess'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/password-reset/confirm': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Set a password with the link of a reset or invitation mail */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            token: string
            /** At least 8 characters, at most 128. One that is easy to guess is refused with 400 `weak_password`; `reason` says why. */ newPassword: string
            keep?: { passkeys: string[]; sshKeys: string[]; apps: string[] }
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/register': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Register an account and sign in */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** An email address; upper and lower case are not distinguished. */ email: string
            /** At least 8 characters, at most 128. One that is easy to guess is refused with 400 `weak_password`; `reason` says why. */ password: string
            displayName?: string
          }
        }
      }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: { 'application/json': { user: components['schemas']['User'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/sessions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The live sessions of this account */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { sessions: components['schemas']['Session'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/sessions/revoke-all': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** End all other sessions */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/sessions/{id}/revoke': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** End one session */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/verify-email': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Confirm an email address with the link that was sent to it */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string } } }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/verify-email/resend': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Send that link again */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/authz/auth-request': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Whether a proxy lets a request through */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content?: never }
        302: { headers: Record<string, unknown>; content?: never }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/authz/forward-auth': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Whether a proxy lets a request through */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content?: never }
        302: { headers: Record<string, unknown>; content?: never }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/authz/sign-in': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Sign in at a site */ {
      parameters: {
        query: { host: string; state: string; to: string; account?: string }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        302: { headers: Record<string, unknown>; content?: never }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/authz/sites/{host}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Whether a host is that of a site */ {
      parameters: { query?: never; header?: never; path: { host: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': { site: { host: string } } } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/notifications': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** List your notifications */ {
      parameters: {
        query?: { limit?: number; cursor?: string; unread?: boolean }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              notifications: components['schemas']['Notification'][]
              /** How many are unread in all. */ unreadCount: number
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/notifications/read-all': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Mark all notifications read */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; /** How many are unread in all. */ unreadCount: number } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/notifications/stream': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Stream your notifications */ {
      parameters: {
        query?: { lastEventId?: string }
        header?: { 'last-event-id'?: string }
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'text/event-stream': string } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/notifications/{id}/read': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: /** Mark a notification read */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              success: true
              notification: components['schemas']['Notification']
              /** How many are unread in all. */ unreadCount: number
            }
          }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    trace?: never
  }
  '/api/passkeys': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** List your passkeys */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { passkeys: components['schemas']['Passkey'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/passkeys/login/options': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Begin to sign in with a passkey */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': Record<string, never> | null } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['PublicKeyCredentialRequestOptionsJSON'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/passkeys/login/verify': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Sign in with a passkey */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': { response: components['schemas']['AuthenticationResponseJSON']; challengeId: string }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { user: components['schemas']['User'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        413: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/passkeys/register/options': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Begin to register a passkey */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': Record<string, never> | null } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['PublicKeyCredentialCreationOptionsJSON'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/passkeys/register/verify': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Register a passkey */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            response: components['schemas']['RegistrationResponseJSON']
            /** One line without < and >. */ name?: string
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; passkey: components['schemas']['Passkey'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        413: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/passkeys/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** Remove a passkey */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch: /** Rename a passkey */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody: { content: { 'application/json': { /** One line without < and >. */ name: string } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { passkey: components['schemas']['Passkey'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    trace?: never
  }
  '/api/settings/appearance': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** How the installation looks */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { appearance: components['schemas']['Appearance'] } }
        }
        304: { headers: Record<string, unknown>; content?: never }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/settings/logo': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The logo */ {
      parameters: { query?: { v?: string }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'image/webp': string } }
        304: { headers: Record<string, unknown>; content?: never }
        404: { headers: Record<string, unknown>; content: { 'image/webp': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/certs': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The log of all certificates, newest first */ {
      parameters: {
        query?: {
          limit?: number
          cursor?: string
          user?: string
          serial?: string
          state?: 'valid' | 'expired' | 'revoked'
          q?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              certificates: components['schemas']['SshCert'][]
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/certs/issue': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Get a certificate for a saved key */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            savedKeyId: string
            /** How long it is valid. */ ttlSeconds?: number
            /** Only what roles with the same rules give. Absent: your username, and what is given under the same rules. */ principals?: string[]
          }
        }
      }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['IssuedSshCert'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/certs/mine': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Your own certificates, newest first */ {
      parameters: {
        query?: { limit?: number; cursor?: string; state?: 'valid' | 'expired' | 'revoked' }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              certificates: components['schemas']['SshCert'][]
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/certs/{id}/revoke': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Revoke a certificate */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody: { content: { 'application/json': { reason?: string } | null } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; certificate: components['schemas']['SshCert'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/hosts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** List hosts */ {
      parameters: { query?: { limit?: number; cursor?: string }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              hosts: components['schemas']['SshHost'][]
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Register a host, and get the line that enrolls it */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            name: string
            /** DNS names and addresses, without patterns. */ hostnames: string[]
            allowedRoles?: string[] | null
          }
        }
      }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              host: components['schemas']['SshHost']
              /** For one hour and one use. Shown this once. */ enrollmentToken: string
              /** The line that enrolls the host, for a shell on it. */ command: string
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/hosts/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** A host */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { host: components['schemas']['SshHost'] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete: /** Delete a host, and revoke its certificates */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch: /** Change a host */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            name?: string
            /** DNS names and addresses, without patterns. */ hostnames?: string[]
            allowedRoles?: string[] | null
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { host: components['schemas']['SshHost'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    trace?: never
  }
  '/api/ssh/hosts/{id}/enrollment': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** A new line that enrolls a host */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody: { content: { 'application/json': { revoke?: boolean } | null } }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              host: components['schemas']['SshHost']
              /** For one hour and one use. Shown this once. */ enrollmentToken: string
              /** The line that enrolls the host, for a shell on it. */ command: string
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/keys': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Your saved public keys */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { keys: components['schemas']['UserSshKey'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Save a public key */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            name: string
            /** The line of the .pub file. */ publicKey: string
            /** Delete the key by itself: when its last certificate expires, or after an hour without one. */ ephemeral?: boolean
          }
        }
      }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: { 'application/json': { key: components['schemas']['UserSshKey'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/keys/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    delete: /** Delete a saved key, and revoke its certificates */ {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/my-hosts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The hosts that you may log in to, and as whom */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { hosts: { name: string; hostnames: string[]; accounts: string[] }[] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/ssh/principals': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The UNIX principals that your certificates may name */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': { principals: string[] } } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/healthz': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Is the process alive? */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { status: 'ok' } } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/application': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The application that somebody is about to sign in to */ {
      parameters: {
        query?: {
          response_type?: string
          client_id?: string
          redirect_uri?: string
          scope?: string
          state?: string
          code_challenge?: string
          code_challenge_method?: string
          nonce?: string
          prompt?: string
          max_age?: string
          login_hint?: string
          id_token_hint?: string
          claims?: string
          response_mode?: string
          acr_values?: string
          display?: string
          ui_locales?: string
          pending_request?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['SignInApplication'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/approve': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Record what the user decided on the consent page */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** code */ response_type?: string
            /** The application. */ client_id?: string
            /** One of the URLs that the application has registered. */ redirect_uri?: string
            /** Scopes, separated by spaces. */ scope?: string
            /** Returned unchanged. */ state?: string
            /** BASE64URL(SHA256(code_verifier)). */ code_challenge?: string
            /** S256 */ code_challenge_method?: string
            /** Copied into the ID token. */ nonce?: string
            /** none, login, consent, select_account. */ prompt?: string
            /** The maximum number of seconds since the user signed in. */ max_age?: string
            /** A hint about the email address that the user will sign in with. */ login_hint?: string
            /** An ID token of the user that the request is about. */ id_token_hint?: string
            /** Claims requested by name, OpenID Connect Core 5.5. */ claims?: string
            /** query, fragment or form_post. */ response_mode?: string
            /** Authentication methods that the application would like. */ acr_values?: string
            /** How the application would like the pages to be displayed. */ display?: string
            /** Languages that the user prefers. */ ui_locales?: string
            /** Set by this server when it sends the browser here again. */ pending_request?: string
            /** Absent means yes. */ approve?: boolean
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { success: true; redirectTo: string } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/authorize': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Request an authorization code */ {
      parameters: {
        query?: {
          response_type?: unknown
          client_id?: unknown
          redirect_uri?: unknown
          scope?: unknown
          state?: unknown
          code_challenge?: unknown
          code_challenge_method?: unknown
          nonce?: unknown
          prompt?: unknown
          max_age?: unknown
          login_hint?: unknown
          id_token_hint?: unknown
          claims?: unknown
          response_mode?: unknown
          acr_values?: unknown
          display?: unknown
          ui_locales?: unknown
          pending_request?: unknown
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': string } }
        302: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    put?: never
    post: /** Request an authorization code, with a form */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            /** code */ response_type?: unknown
            /** The application. */ client_id?: unknown
            /** One of the URLs that the application has registered. */ redirect_uri?: unknown
            /** Scopes, separated by spaces. */ scope?: unknown
            /** Returned unchanged. */ state?: unknown
            /** BASE64URL(SHA256(code_verifier)). */ code_challenge?: unknown
            /** S256 */ code_challenge_method?: unknown
            /** Copied into the ID token. */ nonce?: unknown
            /** none, login, consent, select_account. */ prompt?: unknown
            /** The maximum number of seconds since the user signed in. */ max_age?: unknown
            /** A hint about the email address that the user will sign in with. */ login_hint?: unknown
            /** An ID token of the user that the request is about. */ id_token_hint?: unknown
            /** Claims requested by name, OpenID Connect Core 5.5. */ claims?: unknown
            /** query, fragment or form_post. */ response_mode?: unknown
            /** Authentication methods that the application would like. */ acr_values?: unknown
            /** How the application would like the pages to be displayed. */ display?: unknown
            /** Languages that the user prefers. */ ui_locales?: unknown
            /** Set by this server when it sends the browser here again. */ pending_request?: unknown
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': string } }
        302: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/authorize/response': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The answer to an authorization request, as a form */ {
      parameters: { query?: { response?: unknown }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': string } }
        302: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** List registered applications */ {
      parameters: {
        query?: { limit?: number; cursor?: string; q?: string }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              clients: components['schemas']['Client'][]
              /** Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last. */ nextCursor:
                | string
                | null
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post: /** Register an application */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** What the consent page calls the application. */ name: string
            operator?: string | null
            redirectUris?: string[]
            postLogoutRedirectUris?: string[]
            scopes?: string[]
            grantTypes?: (
              | 'authorization_code'
              | 'refresh_token'
              | 'client_credentials'
              | 'urn:ietf:params:oauth:grant-type:device_code'
            )[]
            allowedRoles?: string[] | null
            /** With `full`, the ID token also has the claims of the granted scopes. */ idTokenClaims?:
              | 'minimal'
              | 'full'
            /** What signs its ID tokens. */ id_token_signed_response_alg?: 'ES256' | 'RS256'
            claims?: (
              | {
                  name: string
                  in: ('id_token' | 'userinfo' | 'introspection')[]
                  value: string | number | boolean | string[]
                }
              | { name: string; in: ('id_token' | 'userinfo' | 'introspection')[]; from: 'roles' }
              | {
                  name: string
                  in: ('id_token' | 'userinfo' | 'introspection')[]
                  from: 'attribute'
                  attribute: string
                }
              | {
                  name: string
                  in: ('id_token' | 'userinfo' | 'introspection')[]
                  whenRole: {
                    roleId: string
                    then: string | number | boolean | string[]
                    else?: string | number | boolean | string[]
                  }
                }
            )[]
            /** The answers that this client gets at introspection have the claims of the scopes of the token, such as `email`. */ introspectionClaims?: boolean
            /** `optional` needs `ALLOW_MISSING_PKCE`, and is for confidential clients. */ pkce?:
              | 'required'
              | 'optional'
            /** `skip` grants what it asks for without asking the user. */ consent?: 'ask' | 'skip'
            launchUrl?: string | null
            /** For a site: its DNS names, each with a port if that is not 443. They are stored in lower case, international names as A-labels. */ hosts?: string[]
            /** For a site: the first rule that matches an address decides. Where none does, `allowedRoles` does. */ rules?: components['schemas']['SiteRule'][]
            headers?: components['schemas']['SiteHeaders']
            /** For a site: whether programs may use app passwords. */ basic?: boolean
            clientType: 'confidential' | 'public' | 'proxied'
          }
        }
      }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              client: components['schemas']['Client']
              client_id: string
              /** Shown only in this answer. */ client_secret?: string
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients/refusals': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Refused requests of all applications */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { refusals: components['schemas']['RefusalOfClient'][] } }
        }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients/{clientId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** One registered application */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { client: components['schemas']['Client'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete: /** Delete an application and revoke all tokens issued to it */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch: /** Change an application */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** What the consent page calls the application. */ name?: string
            operator?: string | null
            redirectUris?: string[]
            postLogoutRedirectUris?: string[]
            scopes?: string[]
            grantTypes?: (
              | 'authorization_code'
              | 'refresh_token'
              | 'client_credentials'
              | 'urn:ietf:params:oauth:grant-type:device_code'
            )[]
            allowedRoles?: string[] | null
            /** With `full`, the ID token also has the claims of the granted scopes. */ idTokenClaims?:
              | 'minimal'
              | 'full'
            /** What signs its ID tokens. */ id_token_signed_response_alg?: 'ES256' | 'RS256'
            claims?: (
              | {
                  name: string
                  in: ('id_token' | 'userinfo' | 'introspection')[]
                  value: string | number | boolean | string[]
                }
              | { name: string; in: ('id_token' | 'userinfo' | 'introspection')[]; from: 'roles' }
              | {
                  name: string
                  in: ('id_token' | 'userinfo' | 'introspection')[]
                  from: 'attribute'
                  attribute: string
                }
              | {
                  name: string
                  in: ('id_token' | 'userinfo' | 'introspection')[]
                  whenRole: {
                    roleId: string
                    then: string | number | boolean | string[]
                    else?: string | number | boolean | string[]
                  }
                }
            )[]
            /** The answers that this client gets at introspection have the claims of the scopes of the token, such as `email`. */ introspectionClaims?: boolean
            /** `optional` needs `ALLOW_MISSING_PKCE`, and is for confidential clients. */ pkce?:
              | 'required'
              | 'optional'
            /** `skip` grants what it asks for without asking the user. */ consent?: 'ask' | 'skip'
            launchUrl?: string | null
            /** For a site: its DNS names, each with a port if that is not 443. They are stored in lower case, international names as A-labels. */ hosts?: string[]
            /** For a site: the first rule that matches an address decides. Where none does, `allowedRoles` does. */ rules?: components['schemas']['SiteRule'][]
            headers?: components['schemas']['SiteHeaders']
            /** For a site: whether programs may use app passwords. */ basic?: boolean
            /** Turns it off or on. What it was issued is revoked when it is turned off, and stays so when it is turned on again. */ disabled?: boolean
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { client: components['schemas']['Client'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    trace?: never
  }
  '/oauth/clients/{clientId}/logo': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The logo of an application */ {
      parameters: { query?: { v?: string }; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'image/webp': string } }
        304: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'image/webp': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'image/webp': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'image/webp': components['schemas']['Error'] } }
      }
    }
    put: /** Set the logo of an application */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { client: components['schemas']['Client'] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        413: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    post?: never
    delete: /** Remove the logo of an application */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients/{clientId}/preview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** What an application would be told about a person */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody: { content: { 'application/json': { userId: string; scopes?: string[] } } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['SignInPreview'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients/{clientId}/refusals': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Refused requests of an application */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { refusals: components['schemas']['Refusal'][] } }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients/{clientId}/secret': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Give an application a new secret */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              client: components['schemas']['Client']
              client_id: string
              /** Shown only in this answer. */ client_secret: string
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients/{clientId}/trial': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Begin to try a sign-in to an application */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Trial'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients/{clientId}/trial/result': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** What the application would have got from the sign-in that was tried */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody: { content: { 'application/json': { code: string; codeVerifier: string } } }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['TrialResult'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/clients/{clientId}/try-out': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** What would happen for an address of a site and a person */ {
      parameters: { query?: never; header?: never; path: { clientId: string }; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** A path, or a URL of the site. */ address: string
            method?: string
            userId?: string
            /** For a site: the first rule that matches an address decides. Where none does, `allowedRoles` does. */ rules?: components['schemas']['SiteRule'][]
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['SiteTryOut'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/details': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The application and the requested scopes, for the consent page */ {
      parameters: {
        query?: {
          response_type?: string
          client_id?: string
          redirect_uri?: string
          scope?: string
          state?: string
          code_challenge?: string
          code_challenge_method?: string
          nonce?: string
          prompt?: string
          max_age?: string
          login_hint?: string
          id_token_hint?: string
          claims?: string
          response_mode?: string
          acr_values?: string
          display?: string
          ui_locales?: string
          pending_request?: string
        }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['ConsentDetails'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/device/approve': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Let the device that waits with this code in, or refuse it */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** As the person typed it: case, dashes and spaces do not matter. */ user_code: string
            /** Absent means yes. */ approve?: boolean
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/device/details': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The device that waits with this code */ {
      parameters: { query: { user_code: string }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['DeviceDetails'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        404: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/device_authorization': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Begin the sign-in of a device that has no browser */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            /** The client, unless it authenticates in the Authorization header. */ client_id?: string
            /** For confidential clients, unless in the Authorization header. */ client_secret?: string
            /** Scopes, separated by spaces. */ scope?: string
            /** Optional: BASE64URL(SHA256(code_verifier)). */ code_challenge?: string
            /** With a code_challenge: S256. */ code_challenge_method?: string
            /** Shown to the person who decides, beside the address of the device. */ device_name?: string
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['DeviceAuthorization'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/introspect': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Whether a token is live, and what it is for */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            /** An access or refresh token. */ token?: string
            /** access_token or refresh_token; a wrong one does no harm. */ token_type_hint?: string
            /** The client, unless it authenticates in the Authorization header. */ client_id?: string
            /** For confidential clients, unless in the Authorization header. */ client_secret?: string
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': components['schemas']['Introspection'] }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/logout': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Sign the user out at the request of an application */ {
      parameters: {
        query?: { id_token_hint?: unknown; client_id?: unknown; post_logout_redirect_uri?: unknown; state?: unknown }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': string } }
        302: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    put?: never
    post: /** Sign the user out at the request of an application, with a form */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            /** An ID token that was issued to the application. */ id_token_hint?: unknown
            /** The application. */ client_id?: unknown
            /** One of the URLs that the application has registered for this. */ post_logout_redirect_uri?: unknown
            /** Returned unchanged. */ state?: unknown
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': string } }
        302: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/revoke': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Revoke a token */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            /** An access or refresh token. */ token?: string
            /** access_token or refresh_token; a wrong one does no harm. */ token_type_hint?: string
            /** The client, unless it authenticates in the Authorization header. */ client_id?: string
            /** For confidential clients, unless in the Authorization header. */ client_secret?: string
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Success'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/token': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Exchange a code, a refresh token or client credentials for tokens */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            /** authorization_code, refresh_token, client_credentials or urn:ietf:params:oauth:grant-type:device_code. */ grant_type?: string
            /** The client, unless it authenticates in the Authorization header. */ client_id?: string
            /** For confidential clients, unless in the Authorization header. */ client_secret?: string
            /** For authorization_code. */ code?: string
            /** For authorization_code: that of the authorization request. */ redirect_uri?: string
            /** For a code whose request had a code_challenge: 43 to 128 characters from A-Z a-z 0-9 - . _ ~ */ code_verifier?: string
            /** For refresh_token. */ refresh_token?: string
            /** For a device code: the one that the device was given. */ device_code?: string
            /** For refresh_token and client_credentials: fewer scopes than were granted. */ scope?: string
          }
        }
      }
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['TokenAnswer'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        415: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        429: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/oauth/userinfo': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Who the user is */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Userinfo'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    put?: never
    post: /** Who the user is, by POST */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Userinfo'] } }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        403: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['OAuthError'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/readyz': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Can it serve requests? */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': { status: 'ok' } } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/ca.pub': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The public key of a certificate authority */ {
      parameters: { query?: { trusted?: 'all' }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'text/plain': string } }
        304: { headers: Record<string, unknown>; content?: never }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/client-setup.sh': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** A script that installs latchkey-ssh for one person */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { headers: Record<string, unknown>; content: { 'text/x-shellscript': string } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/host-ca.pub': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The public key of a certificate authority */ {
      parameters: { query?: { trusted?: 'all' }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'text/plain': string } }
        304: { headers: Record<string, unknown>; content?: never }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/host-krl': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The revocation list of hosts */ {
      parameters: {
        query?: { format?: 'krl' | 'binary' | 'raw'; wait?: string; includeExpired?: boolean; wildcard?: boolean }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              revoked?: { serial?: string; /** Epoch seconds. */ revokedAt?: number }[]
              /** Only after a backup was restored: all serials from the first to the last, which may have been issued after the backup was made. */ revokedRanges?: {
                firstSerial?: string
                lastSerial?: string
                /** Epoch seconds. */ revokedAt?: number
              }[]
            }
            'application/octet-stream': {
              revoked?: { serial?: string; /** Epoch seconds. */ revokedAt?: number }[]
              /** Only after a backup was restored: all serials from the first to the last, which may have been issued after the backup was made. */ revokedRanges?: {
                firstSerial?: string
                lastSerial?: string
                /** Epoch seconds. */ revokedAt?: number
              }[]
            }
            'text/plain': {
              revoked?: { serial?: string; /** Epoch seconds. */ revokedAt?: number }[]
              /** Only after a backup was restored: all serials from the first to the last, which may have been issued after the backup was made. */ revokedRanges?: {
                firstSerial?: string
                lastSerial?: string
                /** Epoch seconds. */ revokedAt?: number
              }[]
            }
          }
        }
        304: { headers: Record<string, unknown>; content?: never }
        400: {
          headers: Record<string, unknown>
          content: {
            'application/json': components['schemas']['Error']
            'application/octet-stream': components['schemas']['Error']
            'text/plain': components['schemas']['Error']
          }
        }
        503: {
          headers: Record<string, unknown>
          content: {
            'application/json': components['schemas']['Error']
            'application/octet-stream': components['schemas']['Error']
            'text/plain': components['schemas']['Error']
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/host-setup.sh': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** A script that sets up a host */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { headers: Record<string, unknown>; content: { 'text/x-shellscript': string } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/hosts/enroll': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** Enroll a host */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string; publicKeys: string[] } } }
      responses: {
        201: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              host: { id: string; name: string; hostnames: string[] }
              certificates: components['schemas']['SshHostCertificate'][]
              /** Proves to this service which host it is. Shown this once. */ hostToken: string
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        409: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/hosts/principals': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Who may log in to which account of the host */ {
      parameters: { query?: { wait?: string }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { accounts?: Record<string, string[]> } }
        }
        304: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/hosts/renew': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** New certificates and a new token for a host */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: { content: { 'application/json': Record<string, never> | null } }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              host: { id: string; name: string; hostnames: string[] }
              certificates: components['schemas']['SshHostCertificate'][]
              /** Proves to this service which host it is. Shown this once. */ hostToken: string
            }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/hosts/report': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post: /** What a host has in force */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody: {
        content: {
          'application/json': {
            /** The ETag of its revocation list, without quotes. */ krlVersion: string
            sshdVersion: string
          }
        }
      }
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': { success: true; /** The host should renew its certificates now. */ renew: boolean }
          }
        }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/hosts/wait': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Wait until the lists of the host change */ {
      parameters: { query?: { krl?: string; principals?: string }; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': { krl: string; principals: string } } }
        304: { headers: Record<string, unknown>; content?: never }
        400: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        401: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
        503: { headers: Record<string, unknown>; content: { 'application/json': components['schemas']['Error'] } }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/known_hosts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** What makes ssh trust the certificates of hosts */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { headers: Record<string, unknown>; content: { 'text/plain': string } }
        304: { headers: Record<string, unknown>; content?: never }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ssh/krl': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** The revocation list */ {
      parameters: {
        query?: { format?: 'krl' | 'binary' | 'raw'; wait?: string; includeExpired?: boolean; wildcard?: boolean }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: {
            'application/json': {
              revoked?: { serial?: string; /** Epoch seconds. */ revokedAt?: number }[]
              /** Only after a backup was restored: all serials from the first to the last, which may have been issued after the backup was made. */ revokedRanges?: {
                firstSerial?: string
                lastSerial?: string
                /** Epoch seconds. */ revokedAt?: number
              }[]
            }
            'application/octet-stream': {
              revoked?: { serial?: string; /** Epoch seconds. */ revokedAt?: number }[]
              /** Only after a backup was restored: all serials from the first to the last, which may have been issued after the backup was made. */ revokedRanges?: {
                firstSerial?: string
                lastSerial?: string
                /** Epoch seconds. */ revokedAt?: number
              }[]
            }
            'text/plain': {
              revoked?: { serial?: string; /** Epoch seconds. */ revokedAt?: number }[]
              /** Only after a backup was restored: all serials from the first to the last, which may have been issued after the backup was made. */ revokedRanges?: {
                firstSerial?: string
                lastSerial?: string
                /** Epoch seconds. */ revokedAt?: number
              }[]
            }
          }
        }
        304: { headers: Record<string, unknown>; content?: never }
        400: {
          headers: Record<string, unknown>
          content: {
            'application/json': components['schemas']['Error']
            'application/octet-stream': components['schemas']['Error']
            'text/plain': components['schemas']['Error']
          }
        }
        503: {
          headers: Record<string, unknown>
          content: {
            'application/json': components['schemas']['Error']
            'application/octet-stream': components['schemas']['Error']
            'text/plain': components['schemas']['Error']
          }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/version': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: /** Which version is it? */ {
      parameters: { query?: never; header?: never; path?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: {
          headers: Record<string, unknown>
          content: { 'application/json': { /** As in the changelog, such as 1.2.3. */ version: string } }
        }
      }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}

export type components = {
  schemas: {
    Error: {
      /** A sentence for a person. */ error: string
      /** A stable name for a program. Absent only when a sign-in is refused because the account is disabled. */ code?:
        | 'invalid_input'
        | 'malformed_body'
        | 'wrong_password'
        | 'invalid_token'
        | 'weak_password'
        | 'reserved_scope'
        | 'unauthenticated'
        | 'wrong_credentials'
        | 'passkey_refused'
        | 'forbidden'
        | 'not_allowed'
        | 'own_access'
        | 'foreign_origin'
        | 'account_disabled'
        | 'registration_closed'
        | 'wrong_secret'
        | 'fresh_sign_in_needed'
        | 'email_domain'
        | 'email_unconfirmed'
        | 'proxy_not_trusted'
        | 'https_required'
        | 'address_refused'
        | 'unknown_host'
        | 'application_off'
        | 'sign_in_failed'
        | 'not_found'
        | 'method_not_allowed'
        | 'request_timeout'
        | 'conflict'
        | 'other_user'
        | 'host_taken'
        | 'username_held'
        | 'body_too_large'
        | 'uri_too_long'
        | 'unsupported_media_type'
        | 'too_many_requests'
        | 'too_many_changes'
        | 'headers_too_large'
        | 'internal_error'
        | 'unavailable'
        | 'invalid_request'
        | 'invalid_client'
        | 'invalid_grant'
        | 'unauthorized_client'
        | 'unsupported_grant_type'
        | 'invalid_scope'
        | 'invalid_access_token'
        | 'insufficient_scope'
        | 'authorization_pending'
        | 'slow_down'
        | 'access_denied'
        | 'expired_token'
      issues?: {
        path: string
        message: string
        /** For `weak_password`: what makes it easy to guess. */ reason?:
          | 'common'
          | 'personal'
          | 'word'
          | 'keyboard'
          | 'repeat'
          | 'sequence'
          | 'date'
          | 'simple'
      }[]
    }
    SshHostCertificate: {
      /** One line, for a file whose name ends in -cert.pub. */ certificate: string
      serial: string
      /** Epoch seconds. */ validAfter: number
      /** Epoch seconds. */ validBefore: number
    }
    TokenAnswer: {
      access_token: string
      token_type: 'Bearer'
      expires_in: number
      refresh_token?: string
      id_token?: string
      scope: string
    }
    OAuthError: {
      error:
        | 'invalid_request'
        | 'invalid_client'
        | 'invalid_grant'
        | 'unauthorized_client'
        | 'unsupported_grant_type'
        | 'invalid_scope'
        | 'invalid_token'
        | 'insufficient_scope'
        | 'authorization_pending'
        | 'slow_down'
        | 'access_denied'
        | 'expired_token'
        | 'temporarily_unavailable'
        | 'server_error'
      error_description?: string
    }
    Introspection: {
      active: boolean
      scope?: string
      client_id?: string
      username?: string
      token_type?: string
      exp?: number
      iat?: number
      sub?: string
      aud?: string
      iss?: string
    }
    Success: { success: true }
    DeviceAuthorization: {
      device_code: string
      /** Eight letters with a dash, for the person. */ user_code: string
      verification_uri: string
      /** The same with the code in it. Opening it approves nothing. */ verification_uri_complete: string
      expires_in: number
      /** Seconds between two requests at the token endpoint. */ interval: number
    }
    Userinfo: {
      sub: string
      name?: string
      given_name?: string
      family_name?: string
      preferred_username?: string
      picture?: string
      email?: string
      email_verified?: boolean
      groups?: string[]
    }
    User: {
      id: string
      email: string
      email_verified: boolean
      displayName: string | null
      given_name: string | null
      family_name: string | null
      preferredUsername: string
      disabled_at: number | null
      /** Epoch milliseconds. */ createdAt: number
      lastLoginAt: number | null
      avatarUrl: string | null
      /** The language of mails. */ locale: 'en' | 'de'
      roles: { id: string; name: string }[]
    }
    Session: {
      id: string
      ipAddress: string
      geolocation: { country: string | null; city: string | null; region: string | null }
      userAgent: string | null
      /** Epoch milliseconds. */ createdAt: number
      /** Epoch milliseconds. */ lastUsedAt: number
      /** Epoch milliseconds. */ expiresAt: number
      current: boolean
    }
    /** The known ones. In answers the type is string, because another version may send others. */ PermissionName:
      | 'users:read'
      | 'users:write'
      | 'users:delete'
      | 'users:lifecycle'
      | 'roles:read'
      | 'roles:write'
      | 'roles:assign'
      | 'permissions:read'
      | 'oauth_clients:read'
      | 'oauth_clients:write'
      | 'ssh:keys:manage'
      | 'ssh:cert:issue'
      | 'ssh:cert:list'
      | 'ssh:cert:revoke'
      | 'ssh:hosts:manage'
      | 'audit:read'
      | 'settings:manage'
    Passkey: {
      id: string
      /** Base64url. */ credentialId: string
      name: string
      transports: string[]
      /** Whether it is bound to one device or can be synchronised. */ deviceType: 'singleDevice' | 'multiDevice'
      backedUp: boolean
      /** The model of the authenticator as it reports it; zeros when it reports none. */ aaguid: string
      /** Epoch milliseconds. */ createdAt: number
      lastUsedAt: number | null
    }
    UserSshKey: {
      id: string
      name: string
      /** The line of its .pub file. */ publicKey: string
      /** In the format of ssh-keygen -l. */ fingerprint: string
      /** Epoch milliseconds. */ createdAt: number
      lastUsedAt: number | null
      /** Deleted by itself when its last certificate expires. */ ephemeral: boolean
    }
    OAuthGrant: {
      client_id: string
      name: string
      scopes: string[]
      /** Epoch milliseconds. */ createdAt: number
      /** Epoch milliseconds. */ updatedAt: number
    }
    ResetAccess: {
      /** The account registered itself and its address was never confirmed: setting a password removes all its passkeys, SSH keys with their certificates, app passwords and grants, and ends its sessions. */ removesAll: boolean
      left: {
        passkeys: components['schemas']['Passkey'][]
        sshKeys: components['schemas']['UserSshKey'][]
        apps: components['schemas']['OAuthGrant'][]
      } | null
    }
    Profile: {
      id: string
      email: string
      email_verified: boolean
      displayName: string | null
      given_name: string | null
      family_name: string | null
      preferredUsername: string
      disabled_at: number | null
      /** Epoch milliseconds. */ createdAt: number
      lastLoginAt: number | null
      avatarUrl: string | null
      /** The language of mails. */ locale: 'en' | 'de'
      roles: { id: string; name: string }[]
      /** The names of applications that were told the username: at most 200. */ usernameToldTo: string[]
      /** How often you may change your username at this time: twice in 30 days. */ usernameChangesLeft: number
    }
    PublicKeyCredentialCreationOptionsJSON: {
      challenge: string
      rp: { id: string; name: string }
      user: { id: string; name: string; displayName: string }
      pubKeyCredParams: { alg: number; type: 'public-key' }[]
      timeout: number
      attestation: 'none'
      excludeCredentials: { id: string; type: 'public-key'; transports: string[] }[]
      authenticatorSelection: { residentKey: 'required'; requireResidentKey: boolean; userVerification: 'preferred' }
      extensions: { credProps: boolean }
      hints: string[]
    }
    RegistrationResponseJSON: {
      id: string
      rawId: string
      type: string
      response: {
        /** Base64url. */ clientDataJSON: string
        /** Base64url. */ attestationObject: string
        transports?: string[]
      }
      authenticatorAttachment?: string | null
      clientExtensionResults?: Record<string, unknown>
    }
    PublicKeyCredentialRequestOptionsJSON: {
      /** Send it back with the response. */ challengeId: string
      challenge: string
      rpId: string
      timeout: number
      userVerification: 'preferred'
    }
    AuthenticationResponseJSON: {
      id: string
      rawId: string
      type: string
      response: {
        /** Base64url. */ clientDataJSON: string
        /** Base64url. */ authenticatorData: string
        /** Base64url. */ signature: string
        userHandle?: string | null
      }
      authenticatorAttachment?: string | null
      clientExtensionResults?: Record<string, unknown>
    }
    AppPassword: {
      id: string
      name: string
      /** The only site where it works. */ client_id: string
      /** Epoch milliseconds. */ createdAt: number
      lastUsedAt: number | null
      expiresAt: number | null
    }
    BasicSite: { client_id: string; name: string; hosts: string[] }
    IssuedSshCert: {
      /** One line, for a file whose name ends in -cert.pub. */ certificate: string
      id: string
      /** 64 bits, in decimal digits. */ serial: string
      /** Names the user and the certificate; sshd writes it to its log. */ keyId: string
      principals: string[]
      /** Epoch seconds. */ validAfter: number
      /** Epoch seconds. */ validBefore: number
      fingerprint: string
    }
    SshCert: {
      id: string
      /** 64 bits, in decimal digits. */ serial: string
      userId: string
      /** Names the user and the certificate; sshd writes it to its log. */ keyId: string
      principals: string[]
      /** Of the public key that was certified. */ fingerprint: string
      /** Epoch seconds. */ validAfter: number
      /** Epoch seconds. */ validBefore: number
      revokedAt: number | null
      revokeReason: string | null
      /** Epoch milliseconds. */ createdAt: number
    }
    SshHost: {
      id: string
      name: string
      hostnames: string[]
      allowedRoles: string[] | null
      /** Epoch milliseconds. */ createdAt: number
      enrolledAt: number | null
      enrollmentExpiresAt: number | null
      lastSeenAt: number | null
      krlVersion: string | null
      sshdVersion: string | null
      /** It uses the current list, and was here in the last two minutes. */ current: boolean
    }
    Person: {
      id: string
      email: string
      email_verified: boolean
      displayName: string | null
      given_name: string | null
      family_name: string | null
      preferredUsername: string
      disabled_at: number | null
      /** Epoch milliseconds. */ createdAt: number
      lastLoginAt: number | null
      avatarUrl: string | null
      /** The language of mails. */ locale: 'en' | 'de'
      roles: { id: string; name: string }[]
      /** Values for claims of applications. At most 64, and 16 KB of JSON. */ attributes: Record<
        string,
        string | number | boolean | string[]
      >
    }
    Ended: {
      /** Browser sessions that were live. */ sessions: number
      /** Applications that had access, with every code and token of theirs. */ tokens: number
      /** SSH certificates that were still valid. */ certificates: number
    }
    SshRules: {
      /** The longest lifetime. */ maxTtlSeconds?: number
      /** CIDR ranges without host bits, from which logins are accepted. */ sourceAddresses?: string[]
      /** Runs in place of any other command. */ forceCommand?: string
      /** Absent: agent and port forwarding, and a terminal. */ extensions?: (
        | 'permit-X11-forwarding'
        | 'permit-agent-forwarding'
        | 'permit-port-forwarding'
        | 'permit-pty'
        | 'permit-user-rc'
      )[]
      /** Only security keys that check their owner, with a PIN for example. */ verifyRequired?: boolean
    }
    Role: {
      id: string
      name: string
      description: string
      principals: string[]
      ssh: components['schemas']['SshRules'] | null
      builtIn: boolean
      permissions: string[]
      /** Values for claims of applications. At most 64, and 16 KB of JSON. */ attributes: Record<
        string,
        string | number | boolean | string[]
      >
    }
    Permission: {
      id:
        | 'users:read'
        | 'users:write'
        | 'users:delete'
        | 'users:lifecycle'
        | 'roles:read'
        | 'roles:write'
        | 'roles:assign'
        | 'permissions:read'
        | 'oauth_clients:read'
        | 'oauth_clients:write'
        | 'ssh:keys:manage'
        | 'ssh:cert:issue'
        | 'ssh:cert:list'
        | 'ssh:cert:revoke'
        | 'ssh:hosts:manage'
        | 'audit:read'
        | 'settings:manage'
      name: string
      description: string
    }
    LifecycleAction: {
      id: string
      userId: string
      action: 'enable' | 'disable'
      status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed'
      /** Epoch milliseconds. */ executeAt: number
      requestedBy: { id: string; email: string | null } | null
      reason: string | null
      discreet: boolean
      receipt: components['schemas']['Ended'] | null
      /** Epoch milliseconds. */ createdAt: number
      finishedAt: number | null
      failureReason: string | null
    }
    EndedNames: {
      sessions: components['schemas']['Session'][]
      apps: { client_id: string; name: string }[]
      certificates: components['schemas']['SshCert'][]
    }
    EndedCounts: { sessions: number; apps: number; certificates: number }
    Access: {
      sessions: components['schemas']['Session'][] | null
      passkeys: components['schemas']['Passkey'][]
      sshKeys: components['schemas']['UserSshKey'][] | null
      certificates: components['schemas']['SshCert'][] | null
      apps: components['schemas']['OAuthGrant'][]
      appPasswords: components['schemas']['AppPassword'][]
      roles: { id: string; name: string }[]
      pendingActions: components['schemas']['LifecycleAction'][] | null
    }
    /** The known ones. In answers the type is string, because another version may send others. */ NotificationType:
      | 'security.app_password_added'
      | 'security.app_password_removed'
      | 'security.email_changed'
      | 'security.passkey_added'
      | 'security.passkey_removed'
      | 'security.password_changed'
      | 'security.password_reset_sent'
      | 'security.session_ended'
      | 'security.signed_out'
      | 'security.new_login'
      | 'oauth.grant_added'
      | 'oauth.device_approved'
      | 'ssh.cert_issued'
      | 'service.restored'
      | 'user.disabled'
      | 'user.enabled'
      | 'lifecycle.failed'
      | 'lifecycle.planner_disabled'
      | 'mail.failed'
    Notification: {
      id: string
      type: string
      /** Details; the shape depends on the type. `user.*` has `userId`, `email`, `displayName`, `actorId`; `lifecycle.failed` has `lifecycleActionId`, `action` and `reason` besides, and `lifecycle.planner_disabled` has `pending`, the number of actions that this user had planned; `mail.failed` has `recipient`, `subject` and `reason`. */ data: Record<
        string,
        unknown
      >
      /** Epoch milliseconds. */ createdAt: number
      readAt: number | null
      read: boolean
    }
    /** The known ones. In answers the type is string, because another version may send others. */ AuditAction:
      | 'administrator.bootstrapped'
      | 'app_password.added'
      | 'app_password.refused'
      | 'app_password.removed'
      | 'lifecycle.cancelled'
      | 'lifecycle.disable'
      | 'lifecycle.enable'
      | 'lifecycle.scheduled'
      | 'mail.failed'
      | 'oauth_client.authentication_failed'
      | 'oauth_client.created'
      | 'oauth_client.deleted'
      | 'oauth_client.secret_rotated'
      | 'oauth_client.updated'
      | 'oauth_code.reused'
      | 'oauth_device.approved'
      | 'oauth_device.denied'
      | 'oauth_grant.added'
      | 'oauth_grant.revoked'
      | 'oauth_refresh_token.reused'
      | 'passkey.added'
      | 'passkey.refused'
      | 'passkey.removed'
      | 'passkey.renamed'
      | 'role.assigned'
      | 'role.created'
      | 'role.deleted'
      | 'role.permission_granted'
      | 'role.permission_revoked'
      | 'role.unassigned'
      | 'role.updated'
      | 'service.restored'
      | 'secret_key.replaced'
      | 'session.ended'
      | 'session.others_revoked'
      | 'session.refused'
      | 'session.revoked'
      | 'session.started'
      | 'settings.updated'
      | 'signing_key.activated'
      | 'signing_key.published'
      | 'signing_key.retired'
      | 'ssh_ca.activated'
      | 'ssh_ca.published'
      | 'ssh_ca.retired'
      | 'ssh_certificate.issued'
      | 'ssh_certificate.review_finished'
      | 'ssh_certificate.revoked'
      | 'ssh_host.changed'
      | 'ssh_host.created'
      | 'ssh_host.deleted'
      | 'ssh_host.enrolled'
      | 'ssh_host.enrollment_renewed'
      | 'ssh_host.renewed'
      | 'ssh_key.added'
      | 'ssh_key.removed'
      | 'user.avatar_changed'
      | 'user.avatar_removed'
      | 'user.created'
      | 'user.deleted'
      | 'user.disabled'
      | 'user.email_change_requested'
      | 'user.email_changed'
      | 'user.email_reverted'
      | 'user.email_verified'
      | 'user.enabled'
      | 'user.invitation_accepted'
      | 'user.invited'
      | 'user.password_changed'
      | 'user.password_reset'
      | 'user.password_reset_sent'
      | 'user.profile_updated'
      | 'user.registered'
      | 'user.signed_out'
      | 'user.updated'
      | 'user.username_released'
    AuditEntry: {
      id: string
      /** Epoch milliseconds. */ at: number
      action: string
      outcome: 'success' | 'refused'
      actorId: string | null
      actorEmail: string | null
      targetType: string | null
      targetId: string | null
      targetName?: string | null
      ipAddress: string | null
      userAgent: string | null
      requestId: string | null
      data: Record<string, unknown>
    }
    Setup: {
      /** Whether a mail server is configured. */ mail: boolean
      /** Whether there is an application besides the built-in one. */ application: boolean
      /** Whether a host was added. */ host: boolean
      /** Whether more than one user has the role admin. */ secondAdministrator: boolean
      /** Whether `latchkey backup` was run. Unknown with PostgreSQL, which has tools of its own. */ backup:
        | 'made'
        | 'missing'
        | 'unknown'
      /** Whether BASE_URL is https. */ https: boolean
    }
    Overview: {
      users: { active: number | null; disabled: number; administrators: number }
      sessions: { active: number | null }
      tokens: { active: number | null }
      certificates: { /** Since the beginning. */ issued: number }
      lifecycle: {
        pending: number
        failed: number
        /** The next ones due. */ next: {
          id: string
          userId: string
          email: string
          action: 'enable' | 'disable'
          /** Epoch milliseconds. */ executeAt: number
        }[]
      } | null
      /** What went wrong in the last seven days: at most 10 of each, newest first. */ attention: {
        /** Mails that the mail server has not accepted yet; they are tried again. */ delayedMail: number
        failedMail: {
          id: string
          /** Epoch milliseconds. */ at: number
          recipient: string
          subject: string
          reason: string
        }[]
        /** Background work that failed in the last ten minutes; it is tried again. */ failedJobs: {
          name: string
          /** Epoch milliseconds. */ at: number
        }[]
        failedActions:
          | {
              id: string
              at: number | null
              userId: string
              email: string
              action: 'enable' | 'disable'
              reason: string | null
            }[]
          | null
      }
      setup: components['schemas']['Setup']
      /** The last 30 days, oldest first. */ days: {
        /** A day in UTC, as 2026-01-31. */ day: string
        /** Sign-ins with a password. */ password: number
        /** Sign-ins with a passkey. */ passkey: number
        /** Sign-ins that were refused. */ refused: number
        /** SSH certificates issued. */ certificates: number
        /** Access tokens issued. */ tokens: number
      }[]
    }
    Settings: {
      name: string
      accentColor: string | null
      registration: 'open' | 'invite'
      /** Lower case. While it is not empty, people can register and change their address only with these domains (403 email_domain), and accounts that registered themselves get no code and no certificate before their address is confirmed (403 email_unconfirmed). */ allowedEmailDomains: string[]
      logoUrl: string | null
    }
    Appearance: {
      name: string
      accentColor: string | null
      logoUrl: string | null
      registration: 'open' | 'invite'
      /** Whether there is an administrator. */ isSetUp: boolean
    }
    SiteRule: {
      /** An exact path, or one that ends in `/*` and covers what is below that slash. */ path: string
      /** The methods that it is about; `GET` includes `HEAD`. Without it, all. */ methods?: string[]
      /** `bypass` lets everybody in, `deny` nobody, `roles` the holders of one of these roles. `bypass` matches exactly; the others match in any case, and with or without a slash at the end. */ policy:
        | 'bypass'
        | 'deny'
        | 'roles'
      /** With `roles`: the ids of these roles. Roles that are deleted leave the list; an empty one admits nobody. */ roles?: string[]
    }
    SiteHeaders: {
      user?: string | null
      email?: string | null
      name?: string | null
      groups?: string | null
      jwt?: string | null
    }
    Client: {
      client_id: string
      name: string
      operator: string | null
      clientType: 'confidential' | 'public' | 'proxied'
      redirect_uris: string[]
      post_logout_redirect_uris: string[]
      scopes: string[]
      grantTypes: (
        | 'authorization_code'
        | 'refresh_token'
        | 'client_credentials'
        | 'urn:ietf:params:oauth:grant-type:device_code'
      )[]
      allowedRoles: string[] | null
      idTokenClaims: 'minimal' | 'full'
      id_token_signed_response_alg: 'ES256' | 'RS256'
      claims: (
        | {
            name: string
            in: ('id_token' | 'userinfo' | 'introspection')[]
            value: string | number | boolean | string[]
          }
        | { name: string; in: ('id_token' | 'userinfo' | 'introspection')[]; from: 'roles' }
        | { name: string; in: ('id_token' | 'userinfo' | 'introspection')[]; from: 'attribute'; attribute: string }
        | {
            name: string
            in: ('id_token' | 'userinfo' | 'introspection')[]
            whenRole: {
              roleId: string
              then: string | number | boolean | string[]
              else?: string | number | boolean | string[]
            }
          }
      )[]
      /** Whether the answers that it gets at introspection have the claims of the scopes of the token. */ introspectionClaims: boolean
      pkce: 'required' | 'optional'
      pkceLastMissingAt: number | null
      pkceLastSentAt: number | null
      consent: 'ask' | 'skip'
      launchUrl: string | null
      logoUrl: string | null
      /** Part of the service: it can be turned off, but not changed or deleted. */ builtIn: boolean
      /** Turned off: it gets no codes and tokens, and nobody gets in by it. */ disabled: boolean
      /** Epoch milliseconds. */ createdAt: number
      /** For a site: its DNS names, each with a port if that is not 443. They are stored in lower case, international names as A-labels. */ hosts?: string[]
      /** For a site: the first rule that matches an address decides. Where none does, `allowedRoles` does. */ rules?: components['schemas']['SiteRule'][]
      headers?: components['schemas']['SiteHeaders']
      /** For a site: whether programs may use app passwords. */ basic?: boolean
    }
    RefusalOfClient: {
      /** As it was sent. If no application has it, cut at 64 characters, and of a secret only how it begins. */ client_id: string
      /** Whether an application has this client_id. */ known: boolean
      /** Epoch milliseconds. */ at: number
      /** The path of the request. */ endpoint: string
      error: string
      description: string
      /** What to change. */ hint: string
      details: { sent: string | null; expected: string | null }
      /** How often it happened; equal refusals are one entry. */ count: number
    }
    Refusal: {
      /** Epoch milliseconds. */ at: number
      /** The path of the request. */ endpoint: string
      error: string
      description: string
      /** What to change. */ hint: string
      details: { sent: string | null; expected: string | null }
      /** How often it happened; equal refusals are one entry. */ count: number
    }
    SignInPreview: {
      /** Whether the person may use the application. */ allowed: boolean
      consent: 'granted' | 'asked' | 'skipped'
      idToken: { header: Record<string, unknown>; claims: Record<string, unknown> } | null
      userinfo: Record<string, unknown> | null
      introspection: Record<string, unknown>
    }
    Trial: { authorizeUrl: string; state: string; codeVerifier: string }
    TrialResult: {
      idToken: { header: Record<string, unknown>; claims: Record<string, unknown> } | null
      userinfo: Record<string, unknown> | null
      introspection: Record<string, unknown>
    }
    UsableApp: {
      client_id: string
      name: string
      logoUrl: string | null
      launchUrl: string
      /** Whether you have granted it something. */ authorized: boolean
    }
    UserApp: {
      client_id: string
      name: string
      logoUrl: string | null
      /** Whether it is open to everybody. */ everybody: boolean
      /** Otherwise: the roles of this user that it admits. */ roles: { id: string; name: string }[]
      /** Whether the user has granted it something. */ authorized: boolean
    }
    SiteTryOut: {
      outcome: 'allowed' | 'sign_in' | 'refused'
      reason: 'off' | 'path' | 'denied' | 'role' | 'unconfirmed' | null
      rule: number | null
      /** Whether the application would be told who it is. */ named: boolean
    }
    SignInApplication: { name: string; logoUrl: string | null }
    ConsentDetails: {
      client_id: string
      name: string
      operator: string | null
      logoUrl: string | null
      scopes: string[]
      /** What it is told besides the claims of the scopes. */ claims: string[]
      redirect_uri: string
      /** Whether you may use this application. */ allowed: boolean
      user: { id: string; email: string; displayName: string | null; avatarUrl: string | null }
    }
    DeviceDetails: {
      client_id: string
      name: string
      scopes: string[]
      user: { id: string; email: string; displayName: string | null; avatarUrl: string | null }
      device: {
        name: string | null
        ipAddress: string
        geolocation: { country: string | null; city: string | null; region: string | null }
        userAgent: string | null
        /** Whether this request comes from the network that the device is in. */ sameNetwork: boolean
      }
    }
  }
}
