import { defineConfig, type OxlintOverride } from 'oxlint'

/**
 * The layers of the server, the lowest first. A file imports only from its own folder and from lower layers; two folders in
 * one layer do not import each other. docs/architecture.md says what each contains.
 */
export const LAYERS = [
  ['collect.ts', 'errors.ts', 'root-folder.ts', 'vocabulary'],
  ['colors', 'crypto', 'openssh', 'password-strength', 'storage'],
  ['config', 'ids.ts'],
  ['blobs', 'http', 'limits'],
  ['audit', 'mail'],
  ['keys', 'metrics'],
  ['services.ts'],
  ['pictures', 'users'],
  ['access'],
  ['sessions'],
  ['notifications'],
  ['sign-in'],
  ['oauth', 'passkeys', 'ssh'],
  ['account', 'passwords', 'roles', 'settings'],
  ['people'],
  ['lifecycle'],
  ['open-services.ts'],
  ['background', 'backup', 'control', 'overview'],
]
/** The process itself: it may import everything, and nothing imports it. */
export const TOP = ['app.ts', 'serve.ts', 'start.ts', 'main.ts', 'cli.ts', 'cli', 'describe-failure.ts']
/** Routes may import from every layer, for example the guards. Only `app.ts` imports them. */
const ROUTES = ['**/routes.ts', '**/*-routes.ts']

const importsOf = (name: string) => (name.endsWith('.ts') ? `**/${name}` : `**/${name}/**`)
const filesOf = (name: string) => (name.endsWith('.ts') ? `src/${name}` : `src/${name}/**/*.ts`)

const forbid = (files: string[], group: string[], message: string): OxlintOverride => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
})

const layers = LAYERS.flatMap((layer, height) =>
  layer.map((name) => {
    const beside = layer.filter((other) => other !== name)
    const above = [...LAYERS.slice(height + 1).flat(), ...TOP]
    const message = `${name} is in a lower layer (docs/architecture.md), or this is a route of another folder.`
    return forbid([filesOf(name)], [...[...beside, ...above].map(importsOf), ...ROUTES], message)
  }),
)

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'node'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'warn' },
  rules: {
    'typescript/no-floating-promises': [
      'error',
      {
        allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] }],
      },
    ],
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'no-console': 'error',
    eqeqeq: 'error',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'require-await': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/unbound-method': 'off',
    'import/no-named-as-default-member': 'off',
    'unicorn/consistent-function-scoping': 'off',
    // A mapped claim has a field `then`; its value is never a function.
    'unicorn/no-thenable': 'off',
    'promise/always-return': 'off',
    'promise/no-promise-in-callback': 'off',
    'oxc/no-async-endpoint-handlers': 'off',
  },
  overrides: [
    ...layers,
    forbid(['catalogue/**/*.ts'], ['**/src/**', 'node:*'], 'The catalogue is data: the dashboard reads it too.'),
    forbid(['src/**/routes.ts', 'src/**/*-routes.ts'], TOP.map(importsOf), 'Only app.ts mounts routes.'),
  ],
  ignorePatterns: ['dashboard/dist', 'dist', 'release', 'data', 'node_modules'],
})
