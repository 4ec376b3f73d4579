import {
  ActionIcon,
  Box,
  Button,
  Divider,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Client, SiteRule } from '../../api/shapes.ts'
import { issueAt } from '../../lib/field-issue.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ClientForm, useSaveClient } from '../clients/ClientForm.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { TryOutSection } from './TryOutSection.tsx'

type Props = { site: Client; mayWrite: boolean }

/** The rules of a site, and what they would do. */
export function RulesPanel({ site, mayWrite }: Props) {
  const texts = useTexts('sites').rules
  const save = useSaveClient(site.client_id)
  const [rules, setRules] = useState(() => (site.rules ?? []).map(ruleDraft))
  const change = (next: RuleDraft[]) => {
    save.reset()
    setRules(next)
  }
  return (
    <>
      <ClientForm
        title={texts.title}
        description={texts.description}
        save={save}
        fields={['rules']}
        mayWrite={mayWrite}
        onSubmit={() => save.mutate({ rules: rules.map(ruleOf) })}
      >
        {rules.length === 0 && <Text c="dimmed">{texts.empty}</Text>}
        <Stack gap="md">
          {rules.map((rule, at) => (
            <Stack key={rule.key} gap="md">
              {at > 0 && <Divider />}
              <RuleFields
                rule={rule}
                at={at}
                failure={save.error}
                readOnly={!mayWrite}
                onChange={(next) => change(rules.with(at, next))}
                onRemove={() => change(rules.toSpliced(at, 1))}
                onUp={at === 0 ? undefined : () => change(rules.toSpliced(at - 1, 2, rule, rules[at - 1] ?? rule))}
              />
            </Stack>
          ))}
        </Stack>
        {rules.length > 0 && (
          <Text size="sm" c="dimmed">
            {texts.exact}
          </Text>
        )}
        {mayWrite && (
          <Group>
            <Button
              variant="default"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => change([...rules, newRule()])}
            >
              {texts.add}
            </Button>
          </Group>
        )}
      </ClientForm>
      <TryOutSection site={site} rules={mayWrite ? rules.map(ruleOf) : undefined} />
    </>
  )
}

const POLICIES = ['bypass', 'deny', 'roles'] as const
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The hints stand below, so that the fields of a row are at one height. */
const shape: { size: 'md'; inputWrapperOrder: ('label' | 'input' | 'description' | 'error')[] } = {
  size: 'md',
  inputWrapperOrder: ['label', 'input', 'description', 'error'],
}

type RuleFieldsProps = {
  rule: RuleDraft
  at: number
  failure: unknown
  readOnly: boolean
  onChange: (rule: RuleDraft) => void
  onRemove: () => void
  onUp: (() => void) | undefined
}

/** One rule: which addresses, and what happens there. */
function RuleFields({ rule, at, failure, readOnly, onChange, onRemove, onUp }: RuleFieldsProps) {
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

/** A rule while it is edited. The key stays when rules are moved. */
export type RuleDraft = { key: number; path: string; methods: string[]; policy: SiteRule['policy']; roles: string[] }

let keys = 0

const ruleDraft = (rule: SiteRule): RuleDraft => ({
  key: ++keys,
  path: rule.path,
  methods: rule.methods ?? [],
  policy: rule.policy,
  roles: rule.roles ?? [],
})

/** A new one closes: nothing powerful is preselected. */
const newRule = (): RuleDraft => ({ key: ++keys, path: '', methods: [], policy: 'deny', roles: [] })

const ruleOf = ({ path, methods, policy, roles }: RuleDraft): SiteRule => ({
  path: path.trim(),
  ...(methods.length > 0 ? { methods } : {}),
  policy,
  ...(policy === 'roles' ? { roles } : {}),
})
