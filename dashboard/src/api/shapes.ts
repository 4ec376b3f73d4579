import type { components, paths } from './schema.ts'

type Answers = { responses: Record<number, { content?: { 'application/json'?: unknown } }> }
type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : never
type OkOf<Operation> = Operation extends { responses: infer Responses }
  ? Responses extends Answers['responses']
    ? JsonOf<Responses[200 & keyof Responses]> | JsonOf<Responses[201 & keyof Responses]>
    : never
  : never
type Got<Path extends keyof paths> = OkOf<paths[Path]['get']>
type Sent<Path extends keyof paths, Method extends 'post' | 'patch'> = paths[Path][Method] extends {
  requestBody?: { content: { 'application/json': infer Json } }
}
  ? Json
  : never

/** The words that this dashboard knows. A server of another version may send others. */
export type ErrorCode = NonNullable<components['schemas']['Error']['code']>
export type NotificationType = components['schemas']['NotificationType']
export type AuditAction = components['schemas']['AuditAction']
export type PermissionName = components['schemas']['PermissionName']

export type Appearance = Got<'/api/settings/appearance'>['appearance']
export type SignInApplication = Got<'/oauth/application'>
export type Me = Got<'/api/auth/me'>
export type OwnSecurity = components['schemas']['OwnSecurity']
export type Profile = Got<'/api/account/profile'>
export type ResetAccess = OkOf<paths['/api/auth/password-reset/access']['post']>
export type KeptAccess = NonNullable<Sent<'/api/auth/password-reset/confirm', 'post'>['keep']>
export type Undone = OkOf<paths['/api/auth/not-me']['post']>
export type AwaitedStep = components['schemas']['SecondStep']
export type BegunTotp = OkOf<paths['/api/account/totp']['post']>
export type Session = Got<'/api/auth/sessions'>['sessions'][number]
export type Passkey = Got<'/api/passkeys'>['passkeys'][number]
export type Grant = Got<'/api/account/oauth/grants'>['grants'][number]
export type Notification = Got<'/api/notifications'>['notifications'][number]
export type NotificationList = Got<'/api/notifications'>
export type SshKey = Got<'/api/ssh/keys'>['keys'][number]
export type Certificate = Got<'/api/ssh/certs'>['certificates'][number]
export type IssuedCertificate = OkOf<paths['/api/ssh/certs/issue']['post']>
export type User = components['schemas']['Person']
export type UserDetails = Got<'/api/admin/users/{userId}'>
export type BatchResult = OkOf<paths['/api/admin/users/batch']['post']>['results'][number]
export type ImportResult = OkOf<paths['/api/admin/users/import']['post']>['results'][number]
export type Role = Got<'/api/admin/roles'>['roles'][number]
export type Host = Got<'/api/ssh/hosts'>['hosts'][number]
export type SshSession = components['schemas']['SshSession']
export type Permission = Got<'/api/admin/permissions'>['permissions'][number]
export type LifecycleAction = Got<'/api/admin/users/{userId}/lifecycle'>['actions'][number]
export type EndedByAction = OkOf<paths['/api/admin/users/{userId}/lifecycle/preview']['post']>['ends']
export type Settings = components['schemas']['Settings']
export type MailTest = OkOf<paths['/api/admin/settings/mail-test']['post']>
export type SettingsChanges = Sent<'/api/admin/settings', 'patch'>
export type Receiver = components['schemas']['Receiver']
export type ToldReceiver = NonNullable<LifecycleAction['receipt']>['told'][number]
export type ToldKind = ToldReceiver['kind']
export type Overview = Got<'/api/admin/overview'>
export type AuditEntry = Got<'/api/admin/audit'>['events'][number]
export type Webhook = components['schemas']['Webhook']
export type WebhookDelivery = components['schemas']['WebhookDelivery']
export type Client = Got<'/oauth/clients'>['clients'][number]
export type SiteRule = NonNullable<Client['rules']>[number]
export type SiteTryOut = OkOf<paths['/oauth/clients/{clientId}/try-out']['post']>
export type AppPassword = Got<'/api/account/app-passwords'>['appPasswords'][number]
export type MadeAppPassword = OkOf<paths['/api/account/app-passwords']['post']>
export type BasicSite = Got<'/api/account/app-passwords'>['sites'][number]
export type ConsentDetails = Got<'/oauth/details'>
export type ClientChanges = Sent<'/oauth/clients/{clientId}', 'patch'>
export type TellingOfClient = Got<'/oauth/clients/{clientId}/telling'>
export type ClaimMapping = Client['claims'][number]
export type SignInProblem = Got<'/oauth/clients/{clientId}/refusals'>['refusals'][number]
export type ProblemOfClient = Got<'/oauth/clients/refusals'>['refusals'][number]
export type UsableApp = Got<'/api/account/apps'>['apps'][number]
export type SignInPreview = OkOf<paths['/oauth/clients/{clientId}/preview']['post']>
export type DeviceDetails = Got<'/oauth/device/details'>
