/**
 * The areas of the server, the lowest first, and the folders in each as layers, the lowest first. A file imports from its own folder,
 * from lower layers of its area, and from lower areas. Two folders in one layer do not import each other.
 * docs/architecture.md draws this list and says what each folder contains.
 */
export const AREAS: [area: string, layers: string[][]][] = [
  ['vocabulary', [['vocabulary'], ['errors.ts', 'root-folder.ts', 'batches.ts', 'work-queue.ts']]],
  ['storage', [['storage']]],
  [
    'platform',
    [
      ['platform/colors', 'platform/crypto', 'platform/openssh'],
      ['platform/config', 'platform/ids.ts'],
      ['platform/blobs', 'platform/http', 'platform/limits', 'platform/outgoing'],
      ['platform/outbox'],
      ['platform/audit', 'platform/mail'],
      ['platform/keys', 'platform/metrics'],
      ['platform/services.ts'],
      ['platform/pictures'],
    ],
  ],
  [
    'identity',
    [
      ['identity/password-strength'],
      ['identity/users'],
      ['identity/roles'],
      ['identity/access-events.ts'],
      ['identity/sessions'],
      ['identity/notifications'],
      ['identity/second-step'],
      ['identity/sign-in'],
      ['identity/passkeys'],
      ['identity/account', 'identity/manage-roles', 'identity/receipts'],
      ['identity/manage-users', 'identity/not-me'],
      ['identity/lifecycle'],
    ],
  ],
  [
    'oauth',
    [
      ['oauth/sites', 'oauth/problems', 'oauth/claims'],
      ['oauth/protocol'],
      ['oauth/clients'],
      ['oauth/provider.ts'],
      ['oauth/logout'],
      ['oauth/authorizations', 'oauth/access'],
      ['oauth/authorize', 'oauth/device'],
      ['oauth/tokens'],
      ['oauth/signals'],
      ['oauth/administration', 'oauth/access-subscriber.ts'],
    ],
  ],
  [
    'ssh',
    [
      ['ssh/ssh-errors.ts'],
      ['ssh/certificates', 'ssh/authorities'],
      ['ssh/revocation'],
      ['ssh/accounts'],
      ['ssh/hosts', 'ssh/issuing'],
      ['ssh/reports'],
      ['ssh/access-subscriber.ts', 'ssh/routes.ts'],
    ],
  ],
  ['proxy', [['proxy/app-passwords'], ['proxy']]],
  ['open-services.ts', [['open-services.ts']]],
  [
    'operations',
    [
      ['operations/webhooks'],
      [
        'operations/settings',
        'operations/overview',
        'operations/background',
        'operations/backup',
        'operations/control',
      ],
    ],
  ],
]

/** The process itself: it may import everything, and nothing else imports it. */
export const TOP = [
  'app.ts',
  'error-reasons.ts',
  'serve.ts',
  'start.ts',
  'main.ts',
  'cli.ts',
  'operations/cli',
  'describe-failure.ts',
]
