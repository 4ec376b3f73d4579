import { Table, Text } from '@mantine/core'
import type { Role } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import classes from './RoleMatrix.module.css'

/** What a role gives besides permissions. */
export function RoleSummaryRows({ roles }: { roles: Role[] }) {
  const texts = useTexts('admin').roles
  const extras = ({ ssh, attributes }: Role) => {
    const count = Object.keys(attributes).length
    return [...(ssh ? [texts.hasRules] : []), ...(count > 0 ? [texts.attributes(count)] : [])].join(', ')
  }
  const rows = [
    { title: texts.accounts, hint: texts.accountsHint, value: ({ principals }: Role) => principals.join(', ') },
    { title: texts.rules, hint: texts.rulesHint, value: extras },
  ]
  return rows.map(({ title, hint, value }) => (
    <Table.Tr key={title}>
      <Table.Th scope="row" className={classes.sticky}>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Text size="xs" c="dimmed" fw={400}>
          {hint}
        </Text>
      </Table.Th>
      {roles.map((role) => (
        <Table.Td key={role.id} ta="center">
          <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
            {value(role) || texts.noAccounts}
          </Text>
        </Table.Td>
      ))}
    </Table.Tr>
  ))
}
