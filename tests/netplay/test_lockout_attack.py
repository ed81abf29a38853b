"""A seat greets the host on spare connections before it floods the host, and authenticates there while locked out."""

from pathlib import Path

from netplay.invites import identity
from netplay.transport.handshake import seat_proof_parts
from netplay.wire import messages as wire
from tests.netplay.raw import dialled, goodbye, hello
from tests.netplay.tables import room
from tests.patience import PATIENCE
from tests.toy_game import RED


async def test_a_seat_cannot_authenticate_on_a_spare_connection_while_locked_out(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, plain=True) as table:
        invite, greeting = table.invites[RED], hello(table, RED)
        line = await dialled(invite)
        challenge = wire.decode_answer(await line.ask(wire.encode(greeting), PATIENCE))
        assert isinstance(challenge, wire.Challenge)
        assert table.house._admission is not None
        table.house._admission.cool_down(table.match, RED, 600.0)
        parts = seat_proof_parts(challenge.nonce, table.match, RED, greeting.nonce)
        proof = wire.SeatProof(
            certificate=invite.certificate,
            signature=identity.sign_proof(invite.key, identity.PROOF_CONTEXT, *parts),
        )
        bye = await goodbye(line, proof)
        assert "too many messages" in bye.reason
        assert bye.again
        await line.close()
