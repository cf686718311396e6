# What every service refuses, and what the issuer keeps for itself.
# with checks/kettlecrane.py
exec python3 - <<'PY'
import base64, hashlib, hmac, json, os, subprocess, time

from kettlecrane import SERVICES, batch, call, fail, part


def encode(data):
    raw = data if isinstance(data, bytes) else json.dumps(data, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def hs256(header, payload, secret):
    text = f"{encode(header | {'alg': 'HS256'})}.{encode(payload)}"
    return f"{text}.{encode(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


def es256(header, payload):
    """Signed with a key of our own."""
    text = f"{encode(header)}.{encode(payload)}"
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", "own.pem"], input=text.encode(), capture_output=True).stdout
    size = der[3]
    first, second = der[4:4 + size], der[6 + size:]
    return f"{text}.{encode(b''.join(number[-32:].rjust(32, bytes(1)) for number in (first, second)))}"


status, said = call("GET", "/auth/.well-known/jwks.json")
if status != 200 or any(key.keys() - {"kty", "crv", "x", "y", "kid", "use", "alg", "key_ops"} for key in said["keys"]):
    fail("the issuer's key set shows more than public keys, or nothing")
public = {key["kid"]: key for key in said["keys"]}
short = {service: batch(service, lifetime=1) for service in SERVICES}
over = time.monotonic() + 3.2
subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "own.pem"], capture_output=True)
tokens = {service: batch(service) for service in SERVICES}
for service, token in tokens.items():
    header, payload, signature = part(token, 0), part(token, 1), token.split(".")[2]
    other = tokens[SERVICES[(SERVICES.index(service) + 1) % 3]]
    forged = {
        "without a signature": f"{encode(header | {'alg': 'none'})}.{encode(payload)}.",
        "that has another holder now": f"{token.split('.')[0]}.{encode(payload | {'sub': 'customer:1001'})}.{signature}",
        "with another signature": f"{token.rpartition('.')[0]}.{encode(bytes(byte ^ 1 for byte in decode(signature)))}",
        "signed with nothing": hs256(header, payload, b""),
        "signed by somebody else": es256(header, payload),
        "signed with an unknown key": es256(header | {"kid": "own"}, payload),
        "for another service": other,
    }
    key = public.get(header.get("kid"))
    if key:
        info = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004") + decode(key["x"]) + decode(key["y"])
        lines = base64.b64encode(info).decode()
        pem = "-----BEGIN PUBLIC KEY-----\n" + "\n".join(lines[at:at + 64] for at in range(0, len(lines), 64)) + "\n-----END PUBLIC KEY-----\n"
        forged["signed with the public key"] = hs256(header, payload, pem.encode())
    for what, forgery in forged.items():
        if call("GET", f"/{service}/me", token=forgery)[0] == 200:
            fail(f"{service} takes a token {what}")
    if call("GET", f"/{service}/me")[0] == 200 or call("GET", f"/{service}/records")[0] == 200:
        fail(f"{service} serves people without a token")

for secret in (None, "Bearer wrong", "Bearer null", "Basic YWRtaW46YWRtaW4="):
    for method, path in (("POST", "/auth/admin/rotate"), ("GET", "/auth/admin/sessions"), ("GET", "/auth/admin/keys")):
        if call(method, path, token=secret)[0] in (200, 201):
            fail("the issuer's administration is open")
for form in (
    {"grant_type": "client_credentials", "client_id": "nightly", "client_secret": "wrong", "audience": "billing"},
    {"grant_type": "refresh_token", "refresh_token": os.environ["NONCE"], "audience": "billing"},
):
    if call("POST", "/auth/token", body=form)[0] == 200:
        fail("the issuer gives tokens to strangers")
time.sleep(max(0, over - time.monotonic()))
for service, token in short.items():
    if call("GET", f"/{service}/me", token=token)[0] == 200:
        fail(f"{service} takes a token whose time is over")
print("forged, foreign and old tokens are refused")
PY
