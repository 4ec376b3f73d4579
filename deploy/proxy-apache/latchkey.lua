-- Asks Latchkey whether to let a request through: /etc/apache2/latchkey.lua, for mod_lua with lua-socket.
local http = require "socket.http"
local ltn12 = require "ltn12"

local PASSED = {
    "accept", "accept-language", "authorization", "cookie", "origin", "referer", "sec-fetch-mode", "sec-fetch-site",
    "user-agent", "x-requested-with",
}
local ANSWERED = {
    "cache-control", "content-security-policy", "location", "referrer-policy", "retry-after", "vary", "www-authenticate",
    "x-content-type-options", "x-request-id",
}

-- A visitor must not name themselves: these headers come from Latchkey alone. Some applications read a name with underscores or
-- dots as the same. What Connection names is not passed on, so only what HTTP needs is left of it; and only WebSockets are upgrades, since
-- what is asked for in HTTP/2 over such a connection would pass unseen.
local function clean(r, names)
    local upgrade, connection = nil, nil
    for name, value in pairs(r:headers_in_table()) do
        local lower = name:lower()
        if lower == "upgrade" and value:lower() == "websocket" then upgrade = "websocket" end
        if lower == "connection" and value:lower():find("close", 1, true) then connection = "close" end
        if lower == "upgrade" or lower == "connection" or lower:find("[^%w-]") or lower:find("^remote") then
            r.headers_in[name] = nil
        end
    end
    for name in names:gmatch("[^,]+") do r.headers_in[name] = nil end
    if upgrade then r.headers_in["Upgrade"], connection = upgrade, "Upgrade" end
    if connection then r.headers_in["Connection"] = connection end
end

function check(r)
    local env = r.subprocess_env
    local latchkey, host, names = env["LATCHKEY"], env["LATCHKEY_HOST"], env["LATCHKEY_HEADERS"] or ""
    if not latchkey or not host then return 500 end
    clean(r, names)
    -- Apache sends these to Latchkey, by the same reading of the path. They have one spelling.
    if r.uri:sub(1, 11) == "/.latchkey/" then
        return r.unparsed_uri:sub(1, 11) == "/.latchkey/" and apache2.DECLINED or 404
    end
    local sent = {
        ["x-forwarded-method"] = r.method,
        ["x-forwarded-proto"] = "https",
        ["x-forwarded-host"] = host,
        ["x-forwarded-uri"] = r.unparsed_uri,
        ["x-forwarded-for"] = r.useragent_ip,
    }
    for _, name in ipairs(PASSED) do sent[name] = r.headers_in[name] end
    local body = {}
    http.TIMEOUT = 10
    local asked, status, headers = pcall(function()
        local _, code, fields = http.request({
            url = "http://" .. latchkey .. "/api/authz/forward-auth",
            headers = sent, redirect = false, sink = ltn12.sink.table(body),
        })
        return code, fields
    end)
    if not asked or type(status) ~= "number" then return 503 end
    if status == 200 then
        -- All of them: an answer without one must not leave that of the visitor.
        for name in names:gmatch("[^,]+") do r.headers_in[name] = headers[name:lower()] or "" end
        return apache2.DECLINED
    end
    r.status = status
    for _, name in ipairs(ANSWERED) do
        if headers[name] then r.err_headers_out[name] = headers[name] end
    end
    r.content_type = headers["content-type"] or "text/plain"
    r:write(table.concat(body))
    return apache2.DONE
end
