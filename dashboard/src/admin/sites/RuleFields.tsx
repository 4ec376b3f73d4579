import { ActionIcon, Box, Group, MultiSelect, Select, SimpleGrid, TagsInput, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { issueAt } from '../../lib/field-issue.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import type { RuleDraft } from './rule-draft.ts'

const POLICIES = ['bypass', 'deny', 'roles'] as const
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The hints stand below, so that the fields of a row are at one height. */
const shape: { size: 'md'; inputWrapperOrder: ('label' | 'input' | 'description' | 'error')[] } = {
  size: 'md',
  inputWrapperOrder: ['label', 'input', 'description', 'error'],
}

type Props = {
  rule: RuleDraft
  at: number
  failure: unknown
  readOnly: boolean
  onChange: (rule: RuleDraft) => void
  onRemove: () => void
  onUp: (() => void) | undefined
}

/** One rule: which addresses, and what happens there. */
export function RuleFields({ rule, at, failure, readOnly, onChange, onRemove, onUp }: Props) {
  const texts = useTexts('sites').rules
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') })
  const named = new Map(roles.data?.roles.map(({ id, name }) => [id, name]))
  const known = [...new Set([...named.keys(), ...rule.roles])]
  const number = at + 1
  return (
    <Box component="fieldset" bd={0} p={0} m={0} aria-label={texts.rule(number)}>
      <Group justify="space-between" mb="xs">
        <Title order={3} size="h5">
          {texts.rule(number)}
        </Title>
        {!readOnly && (
          <Group gap="xs">
            {onUp && (
              <ActionIcon variant="default" aria-label={texts.up(number)} onClick={onUp}>
                <Icon name="up" size={16} />
              </ActionIcon>
            )}
            <ActionIcon variant="default" aria-label={texts.remove(number)} onClick={onRemove}>
              <Icon name="x" size={16} />
            </ActionIcon>
          </Group>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <TextInput
          label={texts.path}
          {...shape}
          description={texts.pathHint}
          readOnly={readOnly}
          value={rule.path}
          error={issueAt(failure, `rules/${at}/path`)}
          onChange={(event) => onChange({ ...rule, path: event.currentTarget.value })}
        />
        <TagsInput
          label={texts.methods}
          {...shape}
          description={texts.methodsHint}
          readOnly={readOnly}
          data={METHODS}
          value={rule.methods}
          error={issueAt(failure, `rules/${at}/methods`)}
          onChange={(methods) => onChange({ ...rule, methods: methods.map((each) => each.toUpperCase()) })}
        />
        <Select
          label={texts.policy}
          {...shape}
          readOnly={readOnly}
          allowDeselect={false}
          data={POLICIES.map((value) => ({ value, label: texts.policies[value] }))}
          value={rule.policy}
          onChange={(next) => onChange({ ...rule, policy: POLICIES.find((each) => each === next) ?? 'deny' })}
        />
      </SimpleGrid>
      {rule.policy === 'roles' && (
        <MultiSelect
          mt="sm"
          label={texts.roles}
          {...shape}
          searchable
          readOnly={readOnly}
          data={known.map((id) => ({ value: id, label: named.get(id) ?? id }))}
          value={rule.roles}
          error={issueAt(failure, `rules/${at}/roles`)}
          onChange={(chosen) => onChange({ ...rule, roles: chosen })}
        />
      )}
    </Box>
  )
}
