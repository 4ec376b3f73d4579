import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { findFormerHosts } from '../../access/former-host-store.ts'
import type { Facet } from '../../access/without-gain.ts'
import type { Services } from '../../services.ts'
import { type Admission, findSiteGain } from '../../sites/compare-sites.ts'
import { packedRuleRoles, readSite } from '../../sites/site-row.ts'
import type { Reader } from '../../storage/database.ts'
import { readTextList } from '../../storage/text-list.ts'
import { CLAIM_PLACES, type ClaimPlace } from '../claims/claim-mapping.ts'
import { mappedClaims } from '../claims/mapped-claims.ts'
import { PERSON_COLUMNS } from '../claims/person-columns.ts'
import { CLAIM_COLUMNS, userClaims } from '../claims/user-claims.ts'
import { clientExists, packedAllowedRoles } from '../clients/client-store.ts'
import { DEVICE_CODE } from '../clients/client.ts'
import { mayUseClient } from './allowed-role-store.ts'

type Needs = Pick<Services, 'config'>

/** Whether the actor is let in by an application, and what it is told of them. */
export const atApplication = ({ config }: Needs, clientId: string): Facet =>
  comparingApplications(config.baseUrl, (trx, userId) =>
    applications(trx, userId).where('oauth_clients.client_id', '=', clientId).execute(),
  )

/** The same at all applications that are told something else of those who hold a role. */
export const whereRoleIsTold = ({ config }: Needs, roleId: string): Facet =>
  comparingApplications(config.baseUrl, (trx, userId) =>
    applications(trx, userId).where('oauth_clients.claims', 'like', `%"${roleId}"%`).execute(),
  )

const applications = (trx: Reader, userId: string) =>
  trx
    .selectFrom('oauth_clients')
    .innerJoin('users', (join) => join.on('users.id', '=', userId))
    .where(clientExists)
    .where('oauth_clients.client_type', '!=', 'proxied')
    .select(['oauth_clients.client_id', 'oauth_clients.name', 'oauth_clients.scopes', 'oauth_clients.grant_types'])
    .select(['oauth_clients.id_token_claims', 'oauth_clients.disabled_at'])
    .select(mayUseClient(sql.ref('users.id')).as('mayUse'))
    .select(CLAIM_COLUMNS)
    .select(PERSON_COLUMNS)

type ApplicationRow = Awaited<ReturnType<ReturnType<typeof applications>['execute']>>[number]

function comparingApplications(
  baseUrl: string,
  list: (trx: Reader, userId: string) => Promise<ApplicationRow[]>,
): Facet {
  return async (trx, { userId }) => {
    const before = new Map((await list(trx, userId)).map((row) => [row.client_id, row]))
    return async () => {
      for (const row of await list(trx, userId)) {
        const was = before.get(row.client_id)
        // An application that is made now is trusted by nobody yet.
        if (!was || !letsIn(row)) continue
        if (!letsIn(was)) return { kind: 'admitted', place: row.name }
        if (isToldOtherwise(toldOf(was, userId, baseUrl), toldOf(row, userId, baseUrl)))
          return { kind: 'named', place: row.name }
      }
      return undefined
    }
  }
}

const letsIn = ({ mayUse, disabled_at, grant_types }: ApplicationRow): boolean =>
  Boolean(mayUse) &&
  disabled_at === null &&
  readTextList(grant_types).some((type) => type === 'authorization_code' || type === DEVICE_CODE)

interface Told {
  value: unknown
  /** By a mapping, and not by a scope. */
  isMapped: boolean
}

/** Everything that the application can be told of a person, with all of its scopes, by place and name. */
function toldOf(row: ApplicationRow, userId: string, baseUrl: string): Map<string, Told> {
  const scope = readTextList(row.scopes).join(' ')
  const byScope = userClaims(row, { userId, scope, named: [], baseUrl })
  const scopesIn: Record<ClaimPlace, object> = {
    id_token: row.id_token_claims === 'full' ? byScope : {},
    userinfo: byScope,
    introspection: {},
  }
  const told = new Map<string, Told>()
  for (const place of CLAIM_PLACES) {
    for (const [name, value] of Object.entries(scopesIn[place]))
      told.set(`${place} ${name}`, { value: value as unknown, isMapped: false })
    for (const [name, value] of Object.entries(mappedClaims(row, place) ?? {}))
      told.set(`${place} ${name}`, { value, isMapped: true })
  }
  return told
}

/**
 * A mapping may say anything, so that any difference counts, also a claim that goes. What a scope tells is what everybody is
 * called everywhere: it may be told anew. A list that only becomes shorter says less.
 */
function isToldOtherwise(before: Map<string, Told>, after: Map<string, Told>): boolean {
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)]
    const isByScope = !was?.isMapped && !is?.isMapped
    if (isByScope && (was === undefined || is === undefined)) continue
    if (!isDeepStrictEqual(was?.value, is?.value) && !isShorter(was?.value, is?.value)) return true
  }
  return false
}

const isShorter = (was: unknown, is: unknown): boolean =>
  Array.isArray(was) && Array.isArray(is) && is.every((each) => was.includes(each))

/** Whether the actor is let in at these hosts of sites, and by which headers they are named. */
export const atHosts =
  ({ now }: Pick<Services, 'now'>, hosts: readonly string[]): Facet =>
  async (trx, { roleIds }) => {
    const before = await readAdmissions(trx, hosts)
    // A host that has no site now is compared with the one that it had; one that never had any, with nothing.
    const former = await findFormerHosts(trx, { kind: 'site', hosts, now: now() })
    return async () => {
      for (const [host, admission] of await readAdmissions(trx, hosts)) {
        const was = before.get(host) ?? (former.get(host) as Admission | undefined)
        const kind = was && findSiteGain(was, admission, roleIds)
        if (kind) return { kind, place: host }
      }
      return undefined
    }
  }

async function readAdmissions(trx: Reader, hosts: readonly string[]): Promise<Map<string, Admission>> {
  if (hosts.length === 0) return new Map()
  const rows = await trx
    .selectFrom('proxy_hosts')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'proxy_hosts.client_id')
    .where('proxy_hosts.host', 'in', [...hosts])
    .where(clientExists)
    .select(['proxy_hosts.host', 'oauth_clients.hosts', 'oauth_clients.rules', 'oauth_clients.identity_headers'])
    .select(['oauth_clients.basic', 'oauth_clients.restricted', 'oauth_clients.disabled_at'])
    .select([packedAllowedRoles, packedRuleRoles])
    .execute()
  return new Map(
    rows.map((row) => {
      const { rules, headers } = readSite(row)
      const allowedRoles = row.restricted === 0 ? null : (row.allowedRoles?.split(' ') ?? [])
      return [row.host, { allowedRoles, rules, headers, disabled: row.disabled_at !== null }]
    }),
  )
}
