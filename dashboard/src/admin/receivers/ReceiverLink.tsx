import type { ToldKind } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { TextLink } from '../../ui/links.tsx'

type Props = { kind: ToldKind; id: string; name: string }

/** The name of somebody who is told that access has ended, as a link to where that is set, for those who may see it. */
export function ReceiverLink({ kind, id, name }: Props) {
  const may = useMay()
  const look = { inherit: true, underline: 'always', c: 'inherit' } as const
  if ((kind === 'application' || kind === 'signals') && may('oauth_clients:read'))
    return (
      <TextLink to={paths.adminClient} params={{ clientId: id }} search={{ tab: 'signOut' }} {...look}>
        {name}
      </TextLink>
    )
  if (kind === 'webhook' && may('webhooks:manage'))
    return (
      <TextLink to={paths.adminWebhook} params={{ webhookId: id }} {...look}>
        {name}
      </TextLink>
    )
  if (kind === 'host' && may('ssh:hosts:manage'))
    return (
      <TextLink to={paths.adminHost} params={{ hostId: id }} {...look}>
        {name}
      </TextLink>
    )
  return name
}
