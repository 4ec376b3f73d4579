import { lines, partsOf, PASSED_IN_LUA, portsOf, type ProxiedSite, renamed, type Upstreams } from './proxied-site.ts'

/** HAProxy itself asks nobody else, but runs this with what Debian's package contains. */
export const HAPROXY_SCRIPT = `-- Asks Latchkey whether to let a request through: /etc/haproxy/latchkey.lua, for HAProxy 2.6 and newer.
${PASSED_IN_LUA}
-- These are about the connection to Latchkey.
local NOT_PASSED = { ["connection"] = true, ["content-length"] = true, ["keep-alive"] = true, ["transfer-encoding"] = true }

local function answer(txn, answered)
    local reply = txn:reply()
    reply:set_status(answered.status)
    for name, values in pairs(answered.headers or {}) do
        if not NOT_PASSED[name] then
            for _, value in pairs(values) do reply:add_header(name, value) end
        end
    end
    reply:set_body(answered.body or "")
    txn:done(reply)
end

-- Where Latchkey is, the host of the site as it is written out, and the headers that name the visitor, with commas between them.
core.register_action("latchkey", { "http-req" }, function(txn, latchkey, host, names)
    local given, sent = txn.http:req_get_headers(), {}
    for _, name in ipairs(PASSED) do
        if given[name] then
            sent[name] = {}
            for _, value in pairs(given[name]) do table.insert(sent[name], value) end
        end
    end
    sent["x-forwarded-method"] = { txn.sf:method() }
    sent["x-forwarded-proto"] = { "https" }
    sent["x-forwarded-host"] = { host }
    sent["x-forwarded-uri"] = { txn.sf:pathq() }
    sent["x-forwarded-for"] = { txn.sf:src() }
    local url = "http://" .. latchkey .. "/api/authz/forward-auth"
    -- HAProxy asks up to four times, so this is a quarter of the whole wait in milliseconds.
    local asked, answered = pcall(function()
        return core.httpclient():get({ url = url, headers = sent, timeout = 2500 })
    end)
    -- Where no answer comes, HAProxy makes one of 500 or above itself.
    if not asked or not answered or not answered.status or answered.status < 200 or answered.status >= 500 then
        return answer(txn, { status = 503 })
    end
    if answered.status ~= 200 then return answer(txn, answered) end
    -- All of them: an answer without one must not leave that of the visitor.
    local named = {}
    for name in names:gmatch("[^,]+") do
        local values = answered.headers[name:lower()]
        named[name] = values and values[0] or ""
        txn.http:req_set_header(name, named[name])
    end
    -- Beside many other headers there may be no room for one, and HAProxy leaves it out without an error.
    local present = txn.http:req_get_headers()
    for name, value in pairs(named) do
        local values = present[name:lower()]
        if not values or values[0] ~= value or values[1] then return answer(txn, { status = 503 }) end
    end
    -- The configuration lets no request through without this: HAProxy goes on when a script fails.
    txn:set_var("txn.latchkey", true)
end, 3)
`

const backendOf = (host: string): string => {
  const { name, port } = partsOf(host)
  return `site_${name}_${port}`
}

const siteBackend = (host: string, headers: readonly string[], { latchkey, application }: Upstreams): string =>
  lines(
    `backend ${backendOf(host)}`,
    '    # The application gets the path that Latchkey is asked about, and no absolute address, which it could read in another way.',
    '    http-request set-uri %[pathq]',
    '    # A visitor must not name themselves: these headers come from Latchkey alone. Some applications read a name with',
    '    # underscores as the same, so names with anything but letters, digits and hyphens are removed.',
    '    option http-restrict-req-hdr-names delete',
    '    http-request del-header remote -m beg',
    renamed(headers).map((name) => `    http-request del-header ${name}`),
    '    # WebSockets, and no other protocol: what is asked for in HTTP/2 over such a connection would pass unseen.',
    '    http-request del-header upgrade unless { req.fhdr_cnt(upgrade) eq 1 } { req.fhdr(upgrade) -i -m str websocket }',
    '    # Another proxy behind this one leaves out what Connection names, so a visitor must not choose that.',
    '    http-request del-header connection',
    '    http-request set-header Connection upgrade if { req.fhdr_cnt(upgrade) gt 0 }',
    '    # The host is written out: a visitor may say another port.',
    `    http-request set-header Host ${host}`,
    '    http-request set-header X-Forwarded-For %[src]',
    '    http-request set-header X-Forwarded-Proto https',
    `    http-request set-header X-Forwarded-Host ${host}`,
    `    http-request lua.latchkey ${latchkey} ${host} ${headers.join(',') || ','}`,
    '    # A script that failed has let nobody in.',
    '    http-request deny deny_status 503 unless { var(txn.latchkey) -m bool }',
    `    server application ${application}`,
    '',
  )

export const haproxyConfiguration = ({ hosts, headers }: ProxiedSite, upstreams: Upstreams): string =>
  lines(
    '# Once for all sites. The script latchkey.lua is beside this file.',
    'global',
    '    lua-load /etc/haproxy/latchkey.lua',
    '',
    'defaults',
    '    mode http',
    '    timeout http-request 30s',
    '    timeout connect 5s',
    '    timeout client 5m',
    '    timeout server 5m',
    '    # How long a WebSocket may be silent.',
    '    timeout tunnel 1h',
    '',
    '# Whoever asks for another name gets nothing.',
    'frontend sites',
    portsOf(hosts).map((port) => `    bind :${port} ssl crt /etc/haproxy/certs/ strict-sni alpn h2,http/1.1`),
    '    use_backend site_%[req.hdr(host),field(1,:),lower]_%[dst_port]',
    '    default_backend none',
    '',
    'backend none',
    '    http-request deny deny_status 404',
    '',
    '# For this site:',
    hosts.map((host) => siteBackend(host, headers, upstreams)),
  )
