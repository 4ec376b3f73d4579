import { Text } from '@mantine/core'
import type { AuditEntry } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLink } from '../../ui/ApplicationLink.tsx'
import { BreakingName } from '../../ui/BreakingName.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { PersonLink } from '../../ui/PersonLink.tsx'

/** What an entry is about, as a link to its page where there is one. What was deleted has only its kind. */
export function TargetLink({ event: { targetType, targetId, targetName, data } }: { event: AuditEntry }) {
  const texts = useTexts('admin').audit
  const may = useMay()
  if (!targetType || !targetId) return '–'
  const kind = findText(texts.targets, targetType) ?? targetType
  const ownerId = typeof data['userId'] === 'string' ? data['userId'] : undefined
  if (!targetName) return <KindOnly kind={kind} id={targetId} />
  const name = <BreakingName name={targetName} />
  if (targetType === 'user') return <PersonLink id={targetId}>{name}</PersonLink>
  if (targetType === 'oauth_client') return <ApplicationLink id={targetId}>{name}</ApplicationLink>
  if (targetType === 'role' && may('roles:read'))
    return (
      <TextLink to={paths.adminRoles} inherit underline="always" c="inherit">
        {name}
      </TextLink>
    )
  if (targetType === 'ssh_host' && may('ssh:hosts:manage'))
    return (
      <TextLink to={paths.adminHosts} inherit underline="always" c="inherit">
        {name}
      </TextLink>
    )
  if (ownerId !== undefined)
    return (
      <div>
        {kind}, <PersonLink id={ownerId}>{name}</PersonLink>
      </div>
    )
  return <div>{name}</div>
}

const KindOnly = ({ kind, id }: { kind: string; id: string }) => (
  <Text size="sm" c="dimmed" title={id}>
    {kind}
  </Text>
)
