import { Combobox, Group, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'
import type { Entry } from './entry.ts'
import { usePaletteEntries } from './use-palette-entries.ts'

/** Finds pages, people, applications, hosts and actions, by what one may do. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const texts = useTexts('account').palette
  const navigate = useNavigate()
  useReturnFocus()
  const [text, setText] = useState('')
  const { groups, isSearching } = usePaletteEntries(text)
  // The list takes Escape for itself: it closes with the dialog.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose })
  const { selectFirstOption } = combobox
  const entries = groups.flatMap((group) => group.entries)
  const list = useRef<HTMLDivElement>(null)
  const first = entries[0]?.id
  // Enter takes the first answer unless another one was chosen.
  useEffect(() => {
    if (first !== undefined) selectFirstOption()
  }, [first, text, selectFirstOption])
  // The list marks the chosen option in the page itself, so the mark goes with an option that a later answer replaces.
  useEffect(() => {
    if (first !== undefined && !list.current?.querySelector('[data-combobox-selected]')) selectFirstOption()
  })

  const choose = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    void navigate(entry.link)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title}
      size="lg"
      yOffset="10vh"
      centered={false}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <Combobox store={combobox} onOptionSubmit={(id) => choose(entries.find((entry) => entry.id === id))}>
        <Combobox.EventsTarget>
          <TextInput
            data-autofocus
            aria-label={texts.title}
            placeholder={texts.placeholder}
            leftSection={<Icon name="search" size={18} />}
            rightSection={isSearching && <Loader size={16} />}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <Combobox.Options ref={list} mt="sm" mah="55vh" style={{ overflowY: 'auto' }} aria-label={texts.title}>
          {groups.map(({ kind, entries: shown }) => (
            <Combobox.Group key={kind} label={texts.kinds[kind]}>
              {shown.map((entry) => (
                <Combobox.Option key={entry.id} value={entry.id}>
                  <Group gap="sm" wrap="nowrap">
                    <Icon name={entry.icon} size={18} />
                    <div style={{ minWidth: 0 }}>
                      <Text size="sm" truncate>
                        {entry.title}
                      </Text>
                      {entry.note && (
                        <Text size="xs" truncate>
                          {entry.note}
                        </Text>
                      )}
                    </div>
                  </Group>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
        {entries.length === 0 && !isSearching && (
          <Text size="sm" c="dimmed" ta="center" py="md">
            {texts.empty}
          </Text>
        )}
      </Combobox>
      <Text size="xs" c="dimmed" role="status" mt="xs">
        {texts.found(entries.length)}
      </Text>
    </Modal>
  )
}
