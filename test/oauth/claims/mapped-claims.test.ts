import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClaimMapping } from '../../../src/oauth/claims/claim-mapping.ts'
import { ADMIN_ROLE, USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp } from '../../support/app.ts'
import {
  ALL_SCOPES,
  claimsOf,
  getTokens,
  introspect,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'

const EVERYWHERE: ClaimMapping['in'] = ['id_token', 'userinfo', 'introspection']
const WITH_GROUPS = [...ALL_SCOPES, 'groups']

onMainEngine('claims', (engine) => {
  const app = sharedApp({ engine })
  let count = 0

  const newRole = async (admin: SignedInPerson, name: string, attributes: object = {}): Promise<string> => {
    const answer = await admin.post('/api/admin/roles', { name, attributes })
    assert.equal(answer.statusCode, 201, answer.body)
    return answer.json<{ role: { id: string } }>().role.id
  }
  /** A person with roles of these names, in the order given, and their attributes. */
  const personWith = async (roles: Record<string, object>, own: object = {}) => {
    const admin = await signedInPerson(app(), { admin: true })
    const person = await signedInPerson(app())
    const suffix = ++count
    const ids: string[] = []
    for (const [name, attributes] of Object.entries(roles)) {
      const roleId = await newRole(admin, `${name}${suffix}`, attributes)
      await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId })
      ids.push(roleId)
    }
    await admin.patch(`/api/admin/users/${person.user.id}`, { attributes: own })
    return { admin, person, suffix, ids }
  }
  /** What an application with these claims is told, in all three places. */
  const told = async (person: SignedInPerson, claims: ClaimMapping[], scope = 'openid offline_access') => {
    const application = await registerApplication(app(), { claims, scopes: WITH_GROUPS })
    const tokens = await getTokens(app(), person, application, { scope })
    return {
      application,
      tokens,
      idToken: claimsOf(tokens.id_token),
      userinfo: (await userinfo(app(), tokens.access_token)).json<Record<string, unknown>>(),
      introspection: (await introspect(app(), application, tokens.access_token)).json<Record<string, unknown>>(),
    }
  }

  test('the scope groups tells the names of the roles without the one that everybody has, sorted', async () => {
    const { person, suffix } = await personWith({ Writers: {}, Admins: {} })
    const answer = await told(person, [], 'openid groups')
    assert.deepEqual(answer.userinfo['groups'], [`Admins${suffix}`, `Writers${suffix}`])
    assert.equal('groups' in answer.idToken, false, 'the ID token is minimal by default')
    assert.equal('groups' in answer.introspection, false)
    const nobody = await told(await signedInPerson(app()), [], 'openid groups')
    assert.deepEqual(nobody.userinfo['groups'], [])
    const unasked = await told(person, [], 'openid profile')
    assert.equal('groups' in unasked.userinfo, false)
  })

  test('with idTokenClaims full the ID token has the claims of the granted scopes, also after a refresh', async () => {
    const { person, suffix } = await personWith({ Writers: {} })
    const application = await registerApplication(app(), { scopes: WITH_GROUPS, idTokenClaims: 'full' })
    const tokens = await getTokens(app(), person, application, { scope: 'openid email groups offline_access' })
    const check = (idToken: string) => {
      const claims = claimsOf(idToken)
      assert.deepEqual(
        [claims['email'], claims['email_verified'], claims['groups'], 'name' in claims],
        [person.user.email, false, [`Writers${suffix}`], false],
      )
    }
    check(tokens.id_token)
    check((await refresh(app(), application, tokens.refresh_token)).json<Tokens>().id_token)
  })

  test('the claims parameter can ask for groups by name', async () => {
    const { person, suffix } = await personWith({ Writers: {} })
    const application = await registerApplication(app(), { scopes: WITH_GROUPS })
    const claims = JSON.stringify({ id_token: { groups: null } })
    const tokens = await getTokens(app(), person, application, { claims })
    assert.deepEqual(claimsOf(tokens.id_token)['groups'], [`Writers${suffix}`])
  })

  test('a mapped claim has a constant, role names, an attribute, or a value that depends on a role', async () => {
    const { person, suffix, ids } = await personWith({ Writers: {} }, { department: 'Sales' })
    const answer = await told(person, [
      { name: 'tenant', in: EVERYWHERE, value: 'north' },
      { name: 'https://app.example/roles', in: EVERYWHERE, from: 'roles' },
      { name: 'department', in: EVERYWHERE, from: 'attribute', attribute: 'department' },
      { name: 'level', in: EVERYWHERE, whenRole: { roleId: ids[0] ?? '', then: 2, else: 1 } },
      { name: 'is_admin', in: EVERYWHERE, whenRole: { roleId: ADMIN_ROLE, then: true, else: false } },
      { name: 'absent', in: EVERYWHERE, whenRole: { roleId: ADMIN_ROLE, then: true } },
      { name: 'missing', in: EVERYWHERE, from: 'attribute', attribute: 'missing' },
    ])
    for (const place of [answer.idToken, answer.userinfo, answer.introspection]) {
      assert.equal(place['tenant'], 'north')
      assert.deepEqual(place['https://app.example/roles'], [`Writers${suffix}`])
      assert.equal(place['department'], 'Sales')
      assert.equal(place['level'], 2)
      assert.equal(place['is_admin'], false)
      assert.equal('absent' in place, false)
      assert.equal('missing' in place, false)
    }
  })

  test('a claim stands only in the places that it is mapped for', async () => {
    const person = await signedInPerson(app())
    const answer = await told(person, [
      { name: 'a', in: ['id_token'], value: 1 },
      { name: 'b', in: ['userinfo'], value: 1 },
      { name: 'c', in: ['introspection'], value: 1 },
    ])
    const named = (place: object) => ['a', 'b', 'c'].filter((name) => name in place)
    assert.deepEqual([answer.idToken, answer.userinfo, answer.introspection].map(named), [['a'], ['b'], ['c']])
  })

  test("a person's own attribute counts before those of roles, lists of roles are joined, and otherwise the first role by name counts", async () => {
    const { person } = await personWith(
      {
        Zoo: { teams: ['red', 'blue'], floor: 9, room: 'z', own: 'role' },
        Art: { teams: ['blue', 'green'], floor: 3, own: 'role' },
      },
      { own: 'mine' },
    )
    const claim = (name: string): ClaimMapping => ({ name, in: ['userinfo'], from: 'attribute', attribute: name })
    const { userinfo: info } = await told(person, ['teams', 'floor', 'room', 'own'].map(claim))
    assert.deepEqual(
      [info['teams'], info['floor'], info['room'], info['own']],
      [['blue', 'green', 'red'], 3, 'z', 'mine'],
    )
  })

  test('a mapping replaces the claim of the same name that a scope gives', async () => {
    const person = await signedInPerson(app())
    const answer = await told(
      person,
      [{ name: 'preferred_username', in: ['userinfo'], value: 'mapped' }],
      'openid profile',
    )
    assert.equal(answer.userinfo['preferred_username'], 'mapped')
  })

  test('a mapping without a value leaves no claim, also none of a scope, and only where it is mapped', async () => {
    const person = await signedInPerson(app())
    const from = { from: 'attribute', attribute: 'login' } as const
    const here = await told(
      person,
      [
        { name: 'preferred_username', in: ['userinfo'], ...from },
        { name: 'groups', in: ['userinfo'], whenRole: { roleId: ADMIN_ROLE, then: ['admins'] } },
      ],
      'openid profile groups',
    )
    assert.deepEqual(['preferred_username' in here.userinfo, 'groups' in here.userinfo], [false, false])
    const elsewhere = await told(person, [{ name: 'preferred_username', in: ['id_token'], ...from }], 'openid profile')
    assert.equal(elsewhere.userinfo['preferred_username'], person.user.preferredUsername)
  })

  test('userinfo and introspection tell the present, by the mapping of the client of the token', async () => {
    const { admin, person } = await personWith({})
    const { application, tokens } = await told(person, [{ name: 'a', in: EVERYWHERE, value: 1 }])
    const other = await registerApplication(app(), { claims: [{ name: 'b', in: EVERYWHERE, value: 1 }] })
    const seen = (await introspect(app(), other, tokens.access_token)).json<object>()
    assert.deepEqual(['a' in seen, 'b' in seen], [true, false])
    await admin.patch(`/oauth/clients/${application.clientId}`, {
      claims: [{ name: 'dept', in: EVERYWHERE, from: 'attribute', attribute: 'dept' }],
    })
    await admin.patch(`/api/admin/users/${person.user.id}`, { attributes: { dept: 'new' } })
    const info = (await userinfo(app(), tokens.access_token)).json<Record<string, unknown>>()
    assert.deepEqual([info['dept'], 'a' in info], ['new', false])
  })

  test("no mapping tells another person's values", async () => {
    const { person } = await personWith({}, { secret: 'mine' })
    const other = await signedInPerson(app())
    const claims: ClaimMapping[] = [{ name: 'secret', in: EVERYWHERE, from: 'attribute', attribute: 'secret' }]
    const mine = await told(person, claims)
    const theirs = await told(other, claims)
    assert.equal(mine.userinfo['secret'], 'mine')
    for (const place of [theirs.idToken, theirs.userinfo, theirs.introspection])
      assert.equal(JSON.stringify(place).includes('mine'), false)
  })

  test('names that the protocol or others rely on, repeated names and malformed ones are refused', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { clientId } = await registerApplication(app())
    const status = async (claims: unknown) => (await admin.patch(`/oauth/clients/${clientId}`, { claims })).statusCode
    const protectedNames =
      'iss sub aud exp iat nbf jti nonce auth_time acr amr azp sid at_hash c_hash email email_verified active scope client_id username token_type cnf act _claim_names _claim_sources'
    for (const name of protectedNames.split(' '))
      assert.equal(await status([{ name, in: ['id_token'], value: 'x' }]), 400, name)
    const fine = { name: 'fine', in: ['id_token'], value: 'x' }
    assert.equal(await status([fine, fine]), 400, 'twice')
    for (const wrong of [
      { ...fine, name: 'with space' },
      { ...fine, name: 'a'.repeat(129) },
      { ...fine, in: [] },
      { ...fine, in: ['cookie'] },
      { name: 'fine', in: ['id_token'] },
      { ...fine, from: 'roles' },
      { name: 'fine', in: ['id_token'], from: 'attribute' },
      { ...fine, value: { nested: true } },
      { ...fine, value: [1] },
      { name: 'fine', in: ['id_token'], whenRole: { roleId: 'unknown', then: 1 } },
      { ...fine, value: 'x'.repeat(17_000) },
      { ...fine, value: 'a\0b' },
    ])
      assert.equal(await status([wrong]), 400, JSON.stringify(wrong).slice(0, 80))
    assert.equal(await status([{ ...fine, name: 'a'.repeat(128) }]), 200)
    assert.equal(await status([fine]), 200)
  })

  test('a claim that is named like a property of every object is an ordinary claim', async () => {
    const person = await signedInPerson(app())
    const names = ['__proto__', 'constructor', 'toString']
    const answer = await told(
      person,
      names.map((name) => ({ name, in: EVERYWHERE, value: 'x' })),
    )
    for (const place of [answer.idToken, answer.userinfo, answer.introspection])
      for (const name of names) assert.equal(Object.hasOwn(place, name), true, name)
    assert.equal(answer.introspection['active'], true)
  })

  test('the role that everybody has is no group, counts as held, and gives its attributes', async () => {
    const { admin, person, suffix } = await personWith({ Writers: { tags: ['w'] } })
    const plain = await signedInPerson(app())
    const claims: ClaimMapping[] = [
      { name: 'groups', in: EVERYWHERE, from: 'roles' },
      { name: 'here', in: EVERYWHERE, whenRole: { roleId: USER_ROLE, then: 'yes', else: 'no' } },
      { name: 'tags', in: EVERYWHERE, from: 'attribute', attribute: 'tags' },
    ]
    const shown = async (who: SignedInPerson) => {
      const answer = await told(who, claims)
      const [first, ...others] = [answer.idToken, answer.userinfo, answer.introspection].map(
        ({ groups, here, tags }) => [groups, here, tags],
      )
      for (const other of others) assert.deepEqual(other, first)
      return first
    }
    assert.deepEqual(await shown(plain), [[], 'yes', undefined])
    assert.deepEqual(await shown(person), [[`Writers${suffix}`], 'yes', ['w']])
    await admin.patch(`/api/admin/roles/${USER_ROLE}`, { attributes: { tags: ['all'] } })
    assert.deepEqual(await shown(plain), [[], 'yes', ['all']])
    assert.deepEqual(await shown(person), [[`Writers${suffix}`], 'yes', ['w', 'all']])
    await admin.patch(`/api/admin/roles/${USER_ROLE}`, { attributes: {} })
    assert.deepEqual(await shown(plain), [[], 'yes', undefined])
  })

  test('consent lists mapped claims', async () => {
    const person = await signedInPerson(app())
    const { application } = await told(person, [{ name: 'tenant', in: ['id_token'], value: 'north' }])
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: application.clientId,
      redirect_uri: application.redirectUri,
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    const details = await person.get(`/oauth/details?${query.toString()}`)
    assert.deepEqual(details.json<{ claims: string[] }>().claims, ['tenant'])
  })
})
