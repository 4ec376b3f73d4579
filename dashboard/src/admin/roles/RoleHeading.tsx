import { ActionIcon, Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'

type Props = { role: Role; mayWrite: boolean; onEdit: (role: Role) => void; onDelete: (role: Role) => void }

/** The name of a role, who has it, and what can be done with it. A built-in role keeps its name and stays. */
export function RoleHeading({ role, mayWrite, onEdit, onDelete }: Props) {
  const texts = useTexts('admin').roles
  const may = useMay()
  return (
    <Stack gap={4} align="center">
      <Text fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
        {role.name}
      </Text>
      {may('users:read') && <Holders role={role} />}
      {role.builtIn && (
        <Badge size="xs" variant="default">
          {texts.builtIn}
        </Badge>
      )}
      {mayWrite && (
        <Group gap={2} wrap="nowrap">
          <ActionIcon size="sm" variant="subtle" aria-label={texts.editTitle(role.name)} onClick={() => onEdit(role)}>
            <Icon name="pencil" size={14} />
          </ActionIcon>
          {!role.builtIn && (
            <ActionIcon
              size="sm"
              variant="subtle"
              color="red"
              aria-label={texts.deleteTitle(role.name)}
              onClick={() => onDelete(role)}
            >
              <Icon name="trash" size={14} />
            </ActionIcon>
          )}
        </Group>
      )}
    </Stack>
  )
}

/** How many have the role, as a link to them. */
function Holders({ role }: { role: Role }) {
  const texts = useTexts('admin').roles
  const format = useFormat()
  const { data } = useQuery({
    queryKey: ['admin', 'users', 'holders', role.id],
    queryFn: () => answer(api.GET('/api/admin/users', { params: { query: { role: role.id, limit: 1 } } })),
    staleTime: 60_000,
  })
  if (!data || typeof data === 'string') return null
  const count = `${format.number(data.total)}${data.totalIsMore ? '+' : ''}`
  return (
    <TextLink to={paths.adminUsers} search={{ role: role.id }} size="xs" underline="always">
      {data.total === 1 ? texts.oneHolder : texts.holders(count)}
    </TextLink>
  )
}
