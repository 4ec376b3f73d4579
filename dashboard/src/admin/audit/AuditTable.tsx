import { ActionIcon, Badge, Code, Table, Text, VisuallyHidden } from '@mantine/core'
import { Fragment, useState } from 'react'
import type { AuditEntry } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { deviceName } from '../../lib/user-agent.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { BreakingName } from '../../ui/BreakingName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ApplicationLink, PersonLink, TextLink } from '../../ui/links.tsx'
import classes from './AuditTable.module.css'

/** A table; where there is little room each entry is a block. The roles keep it a table there. */
export function AuditTable({ events }: { events: AuditEntry[] }) {
  const texts = useTexts('admin').audit
  const [opened, setOpened] = useState<string>()
  return (
    <div className={classes.around}>
      <Table role="table" aria-label={texts.title} horizontalSpacing="sm" layout="fixed" className={classes.table}>
        <Table.Thead role="rowgroup" className={classes.head}>
          <Table.Tr role="row">
            <Table.Th role="columnheader" w={112}>
              {texts.at}
            </Table.Th>
            <Table.Th role="columnheader">{texts.action}</Table.Th>
            <Table.Th role="columnheader">{texts.actor}</Table.Th>
            <Table.Th role="columnheader">{texts.target}</Table.Th>
            <Table.Th role="columnheader" w={140}>
              {texts.from}
            </Table.Th>
            <Table.Th role="columnheader" w={116}>
              {texts.outcome}
            </Table.Th>
            <Table.Th role="columnheader" w={56} pos="relative">
              <VisuallyHidden>{texts.details}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {events.map((event) => (
            <Fragment key={event.id}>
              <AuditRow
                event={event}
                isOpen={opened === event.id}
                onToggle={() => setOpened(opened === event.id ? undefined : event.id)}
              />
              {opened === event.id && (
                <Table.Tr role="row" className={classes.details}>
                  <Table.Td role="cell" colSpan={7}>
                    {event.targetId && (
                      <Text size="sm">
                        {texts.target} <Code>{`${event.targetType ?? ''} ${event.targetId}`}</Code>
                      </Text>
                    )}
                    {event.requestId && (
                      <Text size="sm">
                        {texts.request} <Code>{event.requestId}</Code>
                      </Text>
                    )}
                    <Code block mt="xs" className={classes.data}>
                      {JSON.stringify(event.data, null, 2)}
                    </Code>
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

type RowProps = { event: AuditEntry; isOpen: boolean; onToggle: () => void }

function AuditRow({ event, isOpen, onToggle }: RowProps) {
  const texts = useTexts('admin').audit
  const format = useFormat()
  const words = findText(texts.actions, event.action)
  return (
    <Table.Tr role="row" className={classes.entry}>
      <Table.Td role="cell" className={classes.at}>
        {format.dateTime(event.at)}
      </Table.Td>
      <Table.Td role="cell" className={classes.action}>
        {words && <Text size="sm">{words}</Text>}
        <Text size="xs" ff="monospace" c="dimmed">
          <BreakingName name={event.action} />
        </Text>
      </Table.Td>
      <Table.Td role="cell" className={classes.name} data-label={texts.actor}>
        {event.actorId === null ? (
          <BreakingName name={event.actorEmail ?? texts.service} />
        ) : (
          <PersonLink id={event.actorId}>
            <BreakingName name={event.actorEmail ?? event.actorId} />
          </PersonLink>
        )}
      </Table.Td>
      <Table.Td role="cell" className={classes.name} data-label={texts.target}>
        <TargetLink event={event} />
      </Table.Td>
      <Table.Td role="cell" className={classes.from}>
        <Text size="sm">
          <BreakingName name={event.ipAddress ?? '–'} />
        </Text>
        <Text size="xs" c="dimmed">
          {deviceName(event.userAgent)}
        </Text>
      </Table.Td>
      <Table.Td role="cell" className={classes.outcome}>
        <Badge size="sm" variant="light" color={event.outcome === 'success' ? 'pine' : 'red'}>
          {texts.outcomes[event.outcome]}
        </Badge>
      </Table.Td>
      <Table.Td role="cell" className={classes.more}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`${texts.details}: ${words ?? event.action}`}
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          <Icon name="dots" size={16} />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  )
}

/** What an entry is about, as a link to its page where there is one. What was deleted has only its kind. */
function TargetLink({ event: { targetType, targetId, targetName, data } }: { event: AuditEntry }) {
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
      <TextLink to={paths.adminHost} params={{ hostId: targetId }} inherit underline="always" c="inherit">
        {name}
      </TextLink>
    )
  if (targetType === 'webhook' && may('webhooks:manage'))
    return (
      <TextLink to={paths.adminWebhook} params={{ webhookId: targetId }} inherit underline="always" c="inherit">
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
