import { Button, Divider, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ClientForm } from '../clients/ClientForm.tsx'
import { useSaveClient } from '../clients/use-save-client.ts'
import { newRule, ruleDraft, type RuleDraft, ruleOf } from './rule-draft.ts'
import { RuleFields } from './RuleFields.tsx'
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
