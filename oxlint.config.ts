import { defineConfig, type OxlintOverride } from 'oxlint'

const forbid = (files: string[], group: string[], message: string): OxlintOverride => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
})

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
    forbid(['catalogue/**/*.ts'], ['**/src/**', 'node:*'], 'The catalogue is data: the dashboard reads it too.'),
    {
      files: ['dashboard/src/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: [
              {
                name: '@tanstack/react-query',
                importNames: ['useMutation'],
                message: 'Actions of buttons use useSubmit, which takes a double click once.',
              },
            ],
          },
        ],
      },
    },
  ],
  ignorePatterns: ['dashboard/dist', 'dist', 'release', 'data', 'node_modules'],
})
