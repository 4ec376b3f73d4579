import { Table, Text } from '@mantine/core'
import type { Role } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { isLimited, sshDraft } from './ssh-draft.ts'
import { useSudoText } from './use-sudo-text.ts'
import classes from './RoleMatrix.module.css'

/** What roles give besides permissions: rows of their table. */
export function RoleSummaryRows({ roles }: { roles: Role[] }) {
  const texts = useTexts('admin').roles
  const sudo = useSudoText()
  const extras = ({ ssh, attributes }: Role) => {
    const count = Object.keys(attributes).length
    return [
      ...(isLimited(sshDraft(ssh)) ? [texts.hasRules] : []),
      ...(ssh?.customExtensions ?? []).map(({ name }) => name),
      ...(count > 0 ? [texts.attributes(count)] : []),
    ]
  }
  const rows = [
    { title: texts.accounts, hint: texts.accountsHint, values: ({ principals }: Role) => principals },
    { title: texts.sudo, hint: texts.sudoHint, values: ({ ssh }: Role) => sudo(ssh) },
    { title: texts.rules, hint: texts.rulesHint, values: extras },
  ]
  return rows.map(({ title, hint, values }) => (
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
          <Values of={values(role)} />
        </Table.Td>
      ))}
    </Table.Tr>
  ))
}

function Values({ of: values }: { of: string[] }) {
  const { noAccounts } = useTexts('admin').roles
  return (values.length === 0 ? [noAccounts] : values).map((value) => (
    <Text key={value} size="xs" style={{ overflowWrap: 'anywhere' }}>
      {value}
    </Text>
  ))
}
