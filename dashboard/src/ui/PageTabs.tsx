import { Tabs } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Icon, type IconName } from './Icon.tsx'

export type PageTab<Name extends string> = { value: Name; label: string; icon?: IconName; panel: ReactNode }

/** The tabs of a page. The open one is part of the address, so that a link or a reload leads to it; at first the first is open. */
export function PageTabs<Name extends string>({ tabs }: { tabs: PageTab<Name>[] }) {
  const { tab } = useSearch({ strict: false })
  const navigate = useNavigate()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a phone a link may lead to a tab that is outside of the visible part of the list.
    if (tab !== undefined)
      list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [tab])
  return (
    <Tabs
      value={(tabs.find(({ value }) => value === tab) ?? tabs[0])?.value ?? null}
      keepMounted={false}
      onChange={(next) => {
        // Each page knows the names of its own tabs only.
        const search = { tab: next as never }
        void navigate({ to: '.', search, replace: true, resetScroll: false })
      }}
    >
      <Tabs.List mb="lg" ref={list}>
        {tabs.map(({ value, label, icon }) => (
          <Tabs.Tab key={value} value={value} leftSection={icon && <Icon name={icon} size={16} />}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, panel }) => (
        <Tabs.Panel key={value} value={value}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
